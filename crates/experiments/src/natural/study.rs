//! Independent runs of one process on all cores.

use filch_random::Seed;

use super::replication::TICKS;
use super::{Conclusion, Process, Recovery, Replication, RunLength, recovery};
use crate::{Progress, parallel};

/// A process, and how it is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Study {
    /// What is run.
    pub process: Process,
    /// How long each run is.
    pub length: RunLength,
    /// Independent runs.
    pub replications: usize,
    /// What all randomness comes from.
    pub seed: Seed,
}

impl Study {
    /// Makes the runs, from empty queues.
    ///
    /// # Panics
    ///
    /// If the placement of the process does not fit its number of processors.
    pub fn run(&self, progress: &dyn Progress) -> Vec<Replication> {
        progress.expect(self.replications * TICKS as usize);
        parallel::map(self.replications, parallel::threads(), |number| {
            let tick = || progress.done();
            Replication::run(&self.process, self.length, self.seed, number as u64, tick)
        })
    }

    /// Makes the runs and concludes from them.
    ///
    /// # Panics
    ///
    /// If the placement of the process does not fit its number of processors.
    pub fn conclude(&self, progress: &dyn Progress) -> Conclusion {
        Conclusion::from(&self.run(progress), self.length)
    }

    /// Runs from `jobs` jobs in one queue until the load has fallen to the mean of `conclusion`.
    ///
    /// # Panics
    ///
    /// If the placement of the process does not fit its number of processors.
    pub fn recover(&self, jobs: u64, conclusion: &Conclusion, progress: &dyn Progress) -> Recovery {
        let Some(level) = conclusion.settled_load() else {
            return Recovery::impossible(jobs);
        };
        progress.expect(self.replications);
        let times = parallel::map(self.replications, parallel::threads(), |number| {
            // The numbers after those of the runs from empty queues: fresh streams.
            let number = (self.replications + number) as u64;
            let most = self.length.steps;
            let steps = recovery(&self.process, (jobs, level), most, self.seed, number);
            progress.done();
            steps
        });
        Recovery::from(&self.process, jobs, level, &times)
    }
}
