//! The time to recover from a large load.

use filch_random::Seed;
use filch_stats::{Confidence, replications};
use serde::Serialize;

use super::Process;
use super::replication::start;

/// How many steps runs take from many jobs in one queue down to the mean load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recovery {
    /// The jobs in the queue of the last processor at the start.
    pub jobs: u64,
    /// The load at which a run has recovered: the mean load of runs from empty queues. None if the
    /// process is not stable.
    pub level: Option<f64>,
    /// How many replications recovered within their length.
    pub recovered: usize,
    /// The mean number of steps; none if not all replications recovered.
    pub mean_steps: Option<f64>,
    /// The ends of the 95 % interval of that mean.
    pub ci95: Option<[f64; 2]>,
    /// (jobs − level) / n(1 − λ): the steps that it takes if no processor is ever idle.
    pub at_least: Option<f64>,
}

impl Recovery {
    /// The process is not stable, so there is no level.
    pub(super) fn impossible(jobs: u64) -> Self {
        Self {
            jobs,
            level: None,
            recovered: 0,
            mean_steps: None,
            ci95: None,
            at_least: None,
        }
    }

    /// Concludes from the steps of each run; none for a run that did not recover.
    pub(super) fn from(process: &Process, jobs: u64, level: f64, times: &[Option<u64>]) -> Self {
        let recovered: Vec<f64> = times.iter().flatten().map(|&steps| steps as f64).collect();
        // A mean over the fastest runs only would be biased.
        let all = recovered.len() == times.len();
        let spare = process.processors as f64 * (1.0 - process.lambda.get());
        Self {
            jobs,
            level: Some(level),
            recovered: recovered.len(),
            mean_steps: all.then(|| recovered.iter().sum::<f64>() / recovered.len() as f64),
            ci95: replications(&recovered, Confidence::NINETY_FIVE)
                .ok()
                .filter(|_| all)
                .map(|estimate| [estimate.interval().lo, estimate.interval().hi]),
            at_least: Some(((jobs as f64 - level) / spare).max(0.0))
                .filter(|steps| steps.is_finite()),
        }
    }
}

/// How many steps it takes from `jobs` in the queue of the last processor until the system load is
/// at most `level`; none if that takes more than `most_steps`.
///
/// # Panics
///
/// If the placement of the process does not fit its number of processors.
pub fn recovery(
    process: &Process,
    (jobs, level): (u64, f64),
    most_steps: u64,
    seed: Seed,
    number: u64,
) -> Option<u64> {
    let mut chain = start(process, process.steal, seed, number);
    chain.put(process.processors - 1, jobs);
    (1..=most_steps).find(|_| chain.step().load as f64 <= level)
}
