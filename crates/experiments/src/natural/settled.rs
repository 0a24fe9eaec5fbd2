//! Runs that are long enough for a verdict.

use filch_random::Seed;
use filch_stats::stability::Verdict;

use super::{Conclusion, Process, Replication, RunLength};

/// The conclusion from runs of sufficient length.
#[derive(Clone, Debug)]
pub struct Settled {
    /// The conclusion from the last set of runs.
    pub conclusion: Conclusion,
    /// Steps of each run. The first half is warm-up.
    pub steps: u64,
}

/// The computing budget.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Independent runs.
    pub replications: u64,
    /// The most processor-steps of one set of runs. The overhead of a step counts as 50 processors.
    pub most: u64,
}

/// The length of the first pilot runs: a verdict needs as many samples.
const FIRST: u64 = 512;
/// The streams reserved for a cell.
const STREAMS: u64 = 1 << 20;

/// The most sets of fresh runs.
const LOOKS: u64 = 3;

impl Settled {
    /// Finds the run length, then measures the process with it.
    ///
    /// Pilot runs of 512 steps, 1024, … are made until their verdict is definite or the effort is
    /// spent. The process is then measured with twice as many steps on **fresh** random numbers:
    /// the length was chosen by looking at a verdict, and the pilot runs would be biased towards
    /// it. A stable process gets the verdict stable nine times in ten. So if the fresh runs are
    /// undecided, another set of twice the length follows, up to three sets in all. The error rates
    /// of the verdict are therefore at most three times those of a single one.
    ///
    /// `cell` is the number of the process. Each number has its own random streams.
    ///
    /// # Panics
    ///
    /// If the placement of the process does not fit its number of processors.
    pub fn find(process: &Process, effort: Effort, seed: Seed, cell: u64) -> Self {
        let first = cell * STREAMS;
        let affordable = |steps| cost(process, steps) * effort.replications <= effort.most;
        let mut steps = FIRST;
        let undecided = |steps| {
            runs(process, steps, effort.replications, seed, first).verdict == Verdict::Undecided
        };
        while affordable(4 * steps) && undecided(steps) {
            steps *= 2;
        }
        let mut look = 1;
        loop {
            steps *= 2;
            let number = first + look * STREAMS / (LOOKS + 1);
            let conclusion = runs(process, steps, effort.replications, seed, number);
            let decided = conclusion.verdict != Verdict::Undecided;
            if decided || look == LOOKS || !affordable(2 * steps) {
                return Self { conclusion, steps };
            }
            look += 1;
        }
    }

    /// The mean load, if the process is stable.
    pub fn mean(&self) -> Option<f64> {
        self.conclusion.settled_load()
    }
}

fn cost(process: &Process, steps: u64) -> u64 {
    (process.processors as u64 + 50) * steps
}

fn runs(process: &Process, steps: u64, replications: u64, seed: Seed, first: u64) -> Conclusion {
    let length = RunLength::of(steps);
    let run = |number| Replication::run(process, length, seed, first + number, || {});
    let runs: Vec<_> = (0..replications).map(run).collect();
    Conclusion::from(&runs, length)
}
