//! The progress of an experiment.

/// Listens to the progress of an experiment. The threads that make the runs call it.
pub trait Progress: Sync {
    /// The experiment consists of `runs` runs.
    fn expect(&self, runs: usize);

    /// One of the expected runs is done.
    fn done(&self);

    /// A run is under way. Runs of `natural` and `dispatch` say so every few steps or slots. A
    /// listener whose caller has gone may unwind from here or from [`done`](Self::done): the
    /// experiment then ends with the same panic.
    fn going(&self) {}
}

/// Ignores all progress.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn expect(&self, _: usize) {}

    fn done(&self) {}
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use filch_random::Seed;
    use filch_sim::farm::{Batches, Class, Length, Run, Servers};
    use filch_workload::Arrivals;

    use super::*;
    use crate::dispatch::{Simulation, simulate};
    use crate::natural::{Process, RunLength, Study};

    /// Wants no more after a few looks.
    struct Impatient(AtomicUsize);

    impl Progress for Impatient {
        fn expect(&self, _: usize) {}

        fn done(&self) {}

        fn going(&self) {
            if self.0.fetch_add(1, Ordering::Relaxed) == 3 {
                resume_unwind(Box::new("enough"));
            }
        }
    }

    #[track_caller]
    fn ends_early(experiment: impl FnOnce(&Impatient)) {
        let listener = Impatient(AtomicUsize::new(0));
        let ended = catch_unwind(AssertUnwindSafe(|| experiment(&listener)));
        let said = ended.unwrap_err().downcast::<&str>().unwrap();
        assert_eq!(*said, "enough");
    }

    /// Runs that would take years end when the listener unwinds.
    #[test]
    fn a_listener_can_end_long_runs() {
        ends_early(|listener| {
            let study = Study {
                process: Process::named(10, 0.5, "half", "one"),
                length: RunLength::of(1 << 48),
                replications: 1,
                seed: Seed::new(1),
            };
            study.run(listener);
        });
        ends_early(|listener| {
            let class = Class::new("all", 4, "uniform:2".parse().unwrap());
            let servers = Servers::of(vec![class]).unwrap();
            let arrivals = Arrivals::poisson(4.0).unwrap();
            let simulation = Simulation {
                servers: &servers,
                run: Run::of("random".parse().unwrap(), Batches::Whole, arrivals),
            };
            let length = Length::of(Length::MOST_SLOTS);
            let _ = simulate(&[simulation], length, Seed::new(1), listener);
        });
    }
}
