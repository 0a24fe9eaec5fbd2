//! `filch natural`: BFG's process, simulated.

mod answer;

use std::fmt::Write as _;
use std::path::Path;

use filch_experiments::natural::{Conclusion, Replication, RunLength, Study};

use crate::args::Natural;
use crate::failure::Failure;
use crate::folder::Folder;
use crate::output;
use crate::progress::Bar;
use crate::theory::natural::Promises;
use answer::Answer;

pub(crate) fn run(options: &Natural) -> Result<(), Failure> {
    let trace = options
        .trace
        .as_deref()
        .map(TraceFile::try_out)
        .transpose()?;
    let study = Study {
        process: options.process,
        length: RunLength {
            steps: options.steps,
            warmup: options.warmup,
            cut: options.cut,
        },
        replications: options.replications,
        seed: options.seed,
    };
    let bar = Bar::of("filch natural".to_owned());
    let runs = study.run(&bar);
    bar.finish();
    let conclusion = Conclusion::from(&runs, study.length);
    let recovery = options.recover.map(|jobs| {
        let bar = Bar::of("filch natural: recovery".to_owned());
        let recovery = study.recover(jobs, &conclusion, &bar);
        bar.finish();
        recovery
    });
    if let Some(trace) = trace {
        trace.keep(&runs)?;
    }
    let promises = Promises::of(&options.process);
    let answer = Answer::new(options, &conclusion, recovery, promises);
    if options.json {
        output::print_json(&answer)
    } else {
        output::print(&answer.text())
    }
}

/// The file for the load over time.
struct TraceFile {
    folder: Folder,
    name: String,
}

impl TraceFile {
    fn try_out(path: &Path) -> Result<Self, Failure> {
        let name = path.file_name().and_then(|name| name.to_str());
        let Some(name) = name.filter(|_| !path.is_dir()) else {
            return Err(Failure::usage(format!(
                "--trace '{}' is not the name of a file: use one such as --trace load.csv",
                path.display().to_string().escape_debug()
            )));
        };
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        Ok(Self {
            folder: Folder::try_out("--trace", folder)?,
            name: name.to_owned(),
        })
    }

    /// One line for each bin: its last step, and its mean load.
    fn keep(&self, runs: &[Replication]) -> Result<(), Failure> {
        let mut table = String::from("replication,step,load\n");
        for (replication, run) in runs.iter().enumerate() {
            for (bin, load) in (1..).zip(run.trajectory.bins()) {
                let step = bin * run.trajectory.bin_len();
                let _ = writeln!(table, "{replication},{step},{load}");
            }
        }
        self.folder.keep(&[(&*self.name, &*table)])
    }
}
