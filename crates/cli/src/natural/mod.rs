//! `filch natural`: BFG03's process, simulated.

mod answer;

use filch_experiments::natural::{Conclusion, Replication};
use filch_report::csv::Csv;

use crate::args::NaturalArgs;
use crate::asked::AskedNatural;
use crate::failure::Failure;
use crate::folder::OutputFile;
use crate::output;
use crate::progress::Bar;

pub(crate) use answer::Answer;

pub(crate) fn run(options: &NaturalArgs) -> Result<(), Failure> {
    let asked = AskedNatural::of(options)?;
    options.threads.choose()?;
    let trace = options.trace.as_deref();
    let trace = trace
        .map(|path| OutputFile::try_out("--trace", path))
        .transpose()?;
    let study = asked.study;
    let bar = Bar::of("filch natural".to_owned());
    let runs = study.run(&bar);
    bar.finish();
    let conclusion = Conclusion::from(&runs, study.length);
    let recovery = asked.recover.map(|jobs| {
        let bar = Bar::of("filch natural: recovery".to_owned());
        let recovery = study.recover(jobs, &conclusion, &bar);
        bar.finish();
        recovery
    });
    if let Some(trace) = trace {
        trace.write(&load_over_time(&runs))?;
    }
    let answer = asked.answer(&conclusion, recovery);
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
