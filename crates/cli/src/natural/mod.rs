//! `filch natural`: BFG's process, simulated.

mod conclusion;
mod replication;
mod report;
mod saturation;
mod settled;

pub(crate) use conclusion::Conclusion;
pub(crate) use replication::{Length, Replication, TICKS, recovery};
pub(crate) use saturation::throughput;
pub(crate) use settled::{Effort, Settled};

use std::fmt::Write as _;
use std::path::Path;

use filch_stats::stability::Verdict;
use filch_stats::{Confidence, replications};

use crate::args::Natural;
use crate::failure::Failure;
use crate::folder::Folder;
use crate::output;
use crate::parallel;
use crate::progress::Progress;
use crate::theory::natural::Promises;
use report::{Recovery, Report};

pub(crate) fn run(options: &Natural) -> Result<(), Failure> {
    let trace = options
        .trace
        .as_deref()
        .map(TraceFile::try_out)
        .transpose()?;
    let runs = replicate(options);
    let length = length(options);
    let conclusion = Conclusion::from(&runs, length);
    let recovery = options
        .recover
        .map(|jobs| recover(options, jobs, &conclusion));
    if let Some(trace) = trace {
        trace.keep(&runs)?;
    }
    let promises = Promises::of(&options.process);
    let report = Report::new(options, &conclusion, recovery, promises);
    if options.json {
        output::print_json(&report)
    } else {
        output::print(&report.text())
    }
}

fn length(options: &Natural) -> Length {
    Length {
        steps: options.steps,
        warmup: options.warmup,
        cut: options.cut,
    }
}

fn replicate(options: &Natural) -> Vec<Replication> {
    let progress = Progress::of("filch natural".to_owned());
    progress.expect(options.replications * TICKS as usize);
    let runs = parallel::map(options.replications, parallel::threads(), |number| {
        let tick = || progress.done();
        Replication::run(
            &options.process,
            length(options),
            options.seed,
            number as u64,
            tick,
        )
    });
    progress.finish();
    runs
}

/// Runs from `jobs` jobs in one queue until the load is what it is on average.
fn recover(options: &Natural, jobs: u64, conclusion: &Conclusion) -> Recovery {
    let stable = conclusion.verdict == Verdict::Stable;
    let Some(level) = conclusion.mean_load.filter(|_| stable) else {
        return Recovery::impossible(jobs);
    };
    let progress = Progress::of("filch natural: recovery".to_owned());
    progress.expect(options.replications);
    let times = parallel::map(options.replications, parallel::threads(), |number| {
        // Numbered after the runs from empty queues, so that their streams are others.
        let number = (options.replications + number) as u64;
        let steps = recovery(
            &options.process,
            (jobs, level),
            options.steps,
            options.seed,
            number,
        );
        progress.done();
        steps
    });
    progress.finish();
    let recovered: Vec<f64> = times.iter().flatten().map(|&steps| steps as f64).collect();
    // The mean of those that were quick enough would be no mean.
    let all = recovered.len() == times.len();
    let process = &options.process;
    let spare = process.processors as f64 * (1.0 - process.lambda.get());
    Recovery {
        jobs,
        level: Some(level),
        recovered: recovered.len(),
        mean_steps: all.then(|| recovered.iter().sum::<f64>() / recovered.len() as f64),
        ci95: replications(&recovered, Confidence::NINETY_FIVE)
            .ok()
            .filter(|_| all)
            .map(|estimate| [estimate.interval().lo, estimate.interval().hi]),
        at_least: Some(((jobs as f64 - level) / spare).max(0.0)).filter(|steps| steps.is_finite()),
    }
}

/// Where the load over time goes.
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

    /// One line for each bin: the last step in it, and the mean load over it.
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
