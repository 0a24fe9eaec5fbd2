//! `filch dag run`: a computation on simulated processors, once or many times.

use filch_sim::machine::{Machine, Outcome, Violation};

use super::source::Loaded;
use super::summary::Summary;
use crate::args::DagRun;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::{output, parallel};

pub(super) fn run(options: &DagRun) -> Result<(), Failure> {
    let loaded = Loaded::from(&options.source)?;
    loaded.check(options.machine.scheduler)?;
    let outcomes = outcomes(options, &loaded)?;
    let summary = Summary::of(options, &loaded, &outcomes);
    if options.json {
        output::print_json(&summary)
    } else {
        output::print(&summary.to_string())
    }
}

/// What the runs came to, in order; the first violation ends it all.
fn outcomes(options: &DagRun, loaded: &Loaded) -> Result<Vec<Outcome>, Failure> {
    let Machine { scheduler, .. } = options.machine;
    let progress = Progress::of(format!("{} by {scheduler}", loaded.name));
    let one = |run: usize| -> Result<Outcome, Violation> {
        let (machine, computation) = (&options.machine, &loaded.computation);
        let outcome = if options.check {
            machine.checked(computation, &loaded.measures, options.seed, run as u64)
        } else {
            Ok(machine.run(computation, options.seed, run as u64))
        };
        progress.done();
        outcome
    };
    // One that draws nothing at random gives the same every time.
    let runs = if scheduler.is_random() {
        options.runs
    } else {
        1
    };
    progress.expect(runs);
    let outcomes = parallel::map(runs, parallel::threads(), one);
    progress.finish();
    let outcomes = outcomes.into_iter().enumerate().map(|(run, outcome)| {
        outcome.map_err(|violation| Failure::run(format!("run {}: {violation}", run + 1)))
    });
    outcomes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Source;
    use filch_random::Seed;
    use filch_sim::machine::Scheduler;
    use filch_workload::dag::Family;

    fn options(runs: usize) -> DagRun {
        DagRun {
            source: Source::Family(Family::Figure1),
            machine: Machine::new(Scheduler::Stealing, 2),
            runs,
            check: true,
            seed: Seed::default(),
            json: false,
        }
    }

    /// A violation is a failed run, told in one line. The machines break no promise, so the promise
    /// is falsified here: space for one thread less, one instruction more.
    #[test]
    fn a_violation_is_a_failure() {
        let options = options(3);
        let mut loaded = Loaded::from(&options.source).unwrap();
        assert_eq!(outcomes(&options, &loaded).unwrap().len(), 3);
        loaded.measures.stack_depth = 1;
        assert_eq!(
            outcomes(&options, &loaded),
            Err(Failure::run(
                "run 1: the space bound S1·P (BL99 Theorems 3 and 5) is violated at step 4: \
                 space 3 is more than 2"
            ))
        );
        loaded.measures.stack_depth = 3;
        loaded.measures.work += 1;
        assert_eq!(
            outcomes(&options, &loaded),
            Err(Failure::run(
                "run 1: the accounting of dollars (BL99 Lemma 7) is violated: 23 dollars are in the \
                 WORK bucket, and there are 24 instructions"
            ))
        );
    }

    /// Runs are put back into order, so the number of threads does not show.
    #[test]
    fn runs_are_those_of_their_numbers() {
        let options = options(20);
        let loaded = Loaded::from(&options.source).unwrap();
        let all = outcomes(&options, &loaded).unwrap();
        for (run, outcome) in all.into_iter().enumerate() {
            let alone = options
                .machine
                .run(&loaded.computation, options.seed, run as u64);
            assert_eq!(outcome, alone);
        }
    }
}
