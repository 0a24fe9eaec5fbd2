//! Small executions, recorded for the schedule viewer of the report.

use filch_random::Seed;
use filch_sim::machine::{Machine, Scheduler};
use filch_workload::dag::Family;

use crate::values::Schedule;

/// Computations that fit on a screen: the scheduler, the numbers of processors, the number of
/// seeds.
const RUNS: &[(&str, Scheduler, &[usize], u64)] = &[
    // Figure 2 of BL99 is the first.
    ("figure1", Scheduler::BusyLeaves, &[2], 1),
    ("figure1", Scheduler::Stealing, &[2, 3], 2),
    ("fib:7", Scheduler::Stealing, &[2, 4, 8], 2),
    ("tree:4:6", Scheduler::Stealing, &[2, 4, 8], 2),
];

/// The most steps of a recording; none of them takes as many.
const LIMIT: usize = 10_000;

/// Records them, with `seed` and the seeds after it.
pub(super) fn record(seed: Seed) -> Vec<Schedule> {
    let mut schedules = Vec::new();
    for &(name, scheduler, processors, seeds) in RUNS {
        let family: Family = name.parse().expect("a family of ours");
        for &processors in processors {
            for further in 0..seeds {
                let seed = Seed::new(seed.get().wrapping_add(further));
                let machine = Machine::new(scheduler, processors);
                let recorded = machine.recorded(&family.computation(), seed, 0, LIMIT);
                let (_, record) = recorded.expect("fewer steps than the limit");
                schedules.push(Schedule {
                    computation: name.to_owned(),
                    scheduler: scheduler.name(),
                    seed: seed.get(),
                    command: format!(
                        "filch dag show --family {name} --scheduler {scheduler} \
                         --processors {processors} --seed {seed} --json"
                    ),
                    record,
                });
            }
        }
    }
    schedules
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_sim::machine::Act;

    /// Every recording is complete, and work stealing steals.
    #[test]
    fn runs_worth_watching() {
        for schedule in record(Seed::new(1)) {
            let name = (&schedule.computation, schedule.scheduler);
            let record = &schedule.record;
            let acts = record.steps.iter().flat_map(|step| &step.acts);
            let work = acts.filter(|act| matches!(act, Act::Work { .. })).count();
            let family: Family = schedule.computation.parse().unwrap();
            assert_eq!(work as u64, family.measures().work, "{name:?}");
            let served = record.steps.iter().flat_map(|step| &step.served);
            let steals = served.filter(|served| served.thread.is_some()).count();
            assert_eq!(steals > 0, schedule.scheduler == "stealing", "{name:?}");
        }
    }

    #[test]
    fn the_largest_seed_is_no_trouble() {
        assert!(!record(Seed::new(u64::MAX)).is_empty());
    }
}
