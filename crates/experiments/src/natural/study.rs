//! Independent runs of one process on all cores.

use filch_policy::steal::Steal;
use filch_random::Seed;

use super::replication::{TICKS, start};
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
        self.run_with(&self.process.steal, progress)
    }

    /// The same with a steal function of the caller's own in place of the one of the process.
    ///
    /// # Panics
    ///
    /// If the placement of the process does not fit its number of processors.
    pub fn run_with<F: Steal + Clone + Sync>(
        &self,
        steal: &F,
        progress: &dyn Progress,
    ) -> Vec<Replication> {
        progress.expect(self.replications * TICKS as usize);
        parallel::map(self.replications, parallel::threads(), |number| {
            let chain = start(&self.process, steal.clone(), self.seed, number as u64);
            let (tick, look) = (|| progress.done(), || progress.going());
            Replication::of(chain, self.length, tick, look)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;

    /// ⌊l/2⌋, as a user would write it.
    #[derive(Clone)]
    struct Halved;

    impl Steal for Halved {
        fn wanted(&self, load: u64) -> u64 {
            load / 2
        }
    }

    #[test]
    fn a_steal_function_of_ones_own() {
        let study = Study {
            process: Process::named(50, 0.8, "one", "one"),
            length: RunLength::of(500),
            replications: 3,
            seed: Seed::new(1),
        };
        let named = Study {
            process: Process::named(50, 0.8, "half", "one"),
            ..study
        };
        let loads = |runs: Vec<Replication>| -> Vec<Vec<f64>> {
            let bins = runs.iter().map(|run| run.trajectory.bins().to_vec());
            bins.collect()
        };
        let own = loads(study.run_with(&Halved, &Silent));
        assert_eq!(own, loads(named.run(&Silent)));
        assert_ne!(own, loads(study.run(&Silent)));
    }
}
