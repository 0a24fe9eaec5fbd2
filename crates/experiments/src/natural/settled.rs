//! Runs that are as long as the process needs.

use filch_random::Seed;
use filch_stats::stability::Verdict;

use super::{Conclusion, Process, Replication, RunLength};

/// What runs of sufficient length show.
#[derive(Clone, Debug)]
pub struct Settled {
    /// What they show.
    pub conclusion: Conclusion,
    /// Steps of each run, of which the first half is warm-up.
    pub steps: u64,
}

/// How much may be spent.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Independent runs.
    pub replications: u64,
    /// The most processor-steps that one set of runs may take. A step counts as 50 processors more.
    pub most: u64,
}

/// No process settles faster than this, and a verdict wants so many samples.
const FIRST: u64 = 512;
/// Runs in a set never need more streams than this.
const STREAMS: u64 = 1 << 20;

/// So many sets of fresh runs are tried for a definite verdict.
const LOOKS: u64 = 3;

impl Settled {
    /// Looks at the process with runs of 512 steps, 1024, … until the verdict is definite or the
    /// effort spent. Then measures it with twice that many steps on **fresh** random numbers, so
    /// that the length, which was chosen by looking at a verdict, favours neither the verdict that
    /// counts nor the mean. A settled load passes for one nine times in ten, so if fresh runs
    /// remain undecided, others of twice the length follow, three sets in all: the error rates of
    /// the verdict are at most three times those of one.
    ///
    /// `cell` numbers the process among others, so that each has its own streams.
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

    /// The mean load, if it has settled.
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
