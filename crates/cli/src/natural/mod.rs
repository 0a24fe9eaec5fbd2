//! `filch natural`: BFG03's process, simulated.

mod answer;

use filch_experiments::natural::{Conclusion, LoadLimit, ProcessBounds, Replication, Study};
use filch_report::csv::Csv;

use crate::args::NaturalArgs;
use crate::failure::Failure;
use crate::folder::OutputFile;
use crate::output;
use crate::progress::Bar;
use answer::Answer;

pub(crate) fn run(options: &NaturalArgs) -> Result<(), Failure> {
    options.check_memory()?;
    options.threads.choose()?;
    let trace = options.trace.as_deref();
    let trace = trace
        .map(|path| OutputFile::try_out("--trace", path))
        .transpose()?;
    let study = Study {
        process: options.process.process(),
        length: options.length(),
        replications: options.replications(),
        seed: options.simulation.seed,
    };
    let bar = Bar::of("filch natural".to_owned());
    let runs = study.run(&bar);
    bar.finish();
    let conclusion = Conclusion::from(&runs, study.length);
    let recovery = options.recover().map(|jobs| {
        let bar = Bar::of("filch natural: recovery".to_owned());
        let recovery = study.recover(jobs, &conclusion, &bar);
        bar.finish();
        recovery
    });
    if let Some(trace) = trace {
        trace.write(&load_over_time(&runs))?;
    }
    let bounds = ProcessBounds::of(&study.process);
    let limit = options.limit.then(|| LoadLimit::of(&study.process));
    let answer = Answer::new(&study, &conclusion, recovery, limit, bounds);
    if options.simulation.json {
        output::print_json(&answer)
    } else {
        output::print_page(&answer.text(conclusion.verdict))
    }
}

/// The trace as CSV: one line for each bin, with the last step in it and the mean load over it.
fn load_over_time(runs: &[Replication]) -> String {
    let mut file = Csv::new(&["replication", "step", "load"]);
    for (replication, run) in runs.iter().enumerate() {
        for (bin, &load) in (1..).zip(run.trajectory.bins()) {
            let step = bin * run.trajectory.bin_len();
            file.row(&[(replication as u64).into(), step.into(), load.into()]);
        }
    }
    file.into_text()
}
