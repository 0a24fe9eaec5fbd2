//! One computation on one machine, once or many times.

use std::error::Error;
use std::fmt;

use filch_random::Seed;
use filch_sim::machine::{Machine, MachineOutcome, Violation};
use filch_workload::dag::{Computation, Measures};

use super::summary::Summary;
use crate::{Progress, parallel};

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct Executions<'a> {
    /// The computation, which the scheduler of the machine accepts.
    pub computation: &'a Computation,
    /// Its measures.
    pub measures: &'a Measures,
    /// The machine.
    pub machine: Machine,
    /// How often. A machine without randomness runs it once.
    pub runs: usize,
    /// Whether to check every step against what the papers promise.
    pub check: bool,
    /// What all randomness comes from.
    pub seed: Seed,
}

/// Bytes that a machine needs for each processor, and for each thread that is alive.
const BYTES_PER_PROCESSOR: u64 = 80;
const BYTES_PER_THREAD: u64 = 64;

/// The least bytes of memory that a run of a computation with these measures takes: the machine has
/// its processors, and at some time at least the threads of the deepest stack are alive.
pub fn bytes_of_a_run(machine: &Machine, of: &Measures) -> u64 {
    let alive = (of.stack_depth / of.largest_frame.max(1)).min(of.threads);
    let processors = machine.processors as u64 * BYTES_PER_PROCESSOR;
    processors.saturating_add(alive.saturating_mul(BYTES_PER_THREAD))
}

impl Executions<'_> {
    /// Makes the runs. The outcomes come in order.
    ///
    /// # Errors
    ///
    /// The first violation, if steps are checked and a run violates an invariant.
    pub fn outcomes(&self, progress: &dyn Progress) -> Result<Vec<MachineOutcome>, BrokenPromise> {
        let one = |run: usize| -> Result<MachineOutcome, Violation> {
            let outcome = if self.check {
                let Self { measures, seed, .. } = *self;
                self.machine
                    .checked(self.computation, measures, seed, run as u64)
            } else {
                Ok(self.machine.run(self.computation, self.seed, run as u64))
            };
            progress.done();
            outcome
        };
        let runs = if self.machine.is_random() {
            self.runs
        } else {
            1
        };
        progress.expect(runs);
        let outcomes = parallel::map(runs, parallel::threads(), one);
        let numbered = outcomes.into_iter().enumerate();
        numbered
            .map(|(run, outcome)| outcome.map_err(|violation| BrokenPromise { run, violation }))
            .collect()
    }

    /// The totals of these outcomes; `name` is the name of the computation.
    pub fn summary(&self, name: &str, outcomes: &[MachineOutcome]) -> Summary {
        Summary::of(name, self, outcomes)
    }
}

/// A run that violated an invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenPromise {
    /// Which run, counted from 0.
    pub run: usize,
    /// The violation.
    pub violation: Violation,
}

impl fmt::Display for BrokenPromise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "run {}: {}", self.run + 1, self.violation)
    }
}

impl Error for BrokenPromise {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use filch_sim::machine::{Order, Scheduler};
    use filch_workload::dag::Family;

    fn outcomes(measures: &Measures, runs: usize) -> Result<Vec<MachineOutcome>, BrokenPromise> {
        let executions = Executions {
            computation: &Family::Figure1.computation(),
            measures,
            machine: Machine::new(Scheduler::Stealing, 2),
            runs,
            check: true,
            seed: Seed::default(),
        };
        executions.outcomes(&Silent)
    }

    /// A violation is an error with one line of text. The machines violate nothing, so the measures
    /// are falsified: a smaller stack depth, one instruction more.
    #[test]
    fn a_violation_is_a_failure() {
        let mut measures = Family::Figure1.measures();
        assert_eq!(outcomes(&measures, 3).unwrap().len(), 3);
        measures.stack_depth = 1;
        assert_eq!(
            outcomes(&measures, 3).unwrap_err().to_string(),
            "run 1: the space bound S1·P (BL99 Theorems 3 and 5) is violated at step 4: \
             space 3 is more than 2"
        );
        measures.stack_depth = 3;
        measures.work += 1;
        assert_eq!(
            outcomes(&measures, 3).unwrap_err().to_string(),
            "run 1: the accounting of dollars (BL99 Lemma 7) is violated: 23 dollars are in the \
             WORK bucket, and there are 24 instructions"
        );
    }

    /// Runs are put back into order, so the number of threads does not show.
    #[test]
    fn runs_are_those_of_their_numbers() {
        let all = outcomes(&Family::Figure1.measures(), 20).unwrap();
        let machine = Machine::new(Scheduler::Stealing, 2);
        for (run, outcome) in all.into_iter().enumerate() {
            let computation = Family::Figure1.computation();
            let alone = machine.run(&computation, Seed::default(), run as u64);
            assert_eq!(outcome, alone);
        }
    }

    /// A machine is run more than once if that shows something new, and the summary says how often.
    #[test]
    fn only_random_machines_run_again() {
        let family: Family = "fib:9".parse().unwrap();
        let (computation, measures) = (family.computation(), family.measures());
        for (order, made) in [(Order::Oldest, 1), (Order::Newest, 1), (Order::Random, 5)] {
            let greedy = Machine::new(Scheduler::Greedy, 3);
            let executions = Executions {
                computation: &computation,
                measures: &measures,
                machine: Machine { order, ..greedy },
                runs: 5,
                check: true,
                seed: Seed::new(1),
            };
            let outcomes = executions.outcomes(&Silent).unwrap();
            let summary = executions.summary("fib:9", &outcomes);
            assert_eq!((outcomes.len(), summary.runs), (made, made), "{order}");
        }
    }
}
