//! Runs with every step checked.

use filch_policy::steal::Victim;
use filch_sim::machine::{Adversary, Machine, Next, PopTop, Scheduler, Violation};
use filch_workload::dag::{Computation, Family, Measures};

use super::watchers::{Rounds, StalledLeaves};
use crate::chapters::{Scale, Setting};

pub(super) struct CheckPlan {
    families: Vec<Family>,
    machines: Vec<Machine>,
}

impl CheckPlan {
    pub(super) fn of(scale: Scale) -> Self {
        let mut families: Vec<Family> = scale
            .pick(
                ["fib:9", "tree:5:2", "loop:30:5", "comb:40"],
                ["fib:15", "tree:9:5", "loop:300:20", "comb:300"],
                ["fib:22", "tree:14:10", "loop:5000:50", "comb:3000"],
            )
            .map(|name| name.parse().expect("a family"))
            .into();
        let threads = scale.pick(50, 400, 5000);
        let seeds = 0..scale.pick(4, 20, 50);
        families.extend(seeds.map(|seed| Family::Random { threads, seed }));
        families.push(Family::Strict { threads, seed: 1 });
        let mut machines = Vec::new();
        for &processors in scale.pick(&[2, 16][..], &[1, 2, 8, 64], &[1, 2, 4, 16, 64, 256]) {
            for scheduler in [Scheduler::Greedy, Scheduler::BusyLeaves] {
                machines.push(Machine::new(scheduler, processors));
            }
            for adversary in Adversary::ALL {
                machines.push(Machine {
                    adversary,
                    ..Machine::new(Scheduler::Stealing, processors)
                });
            }
            for next in Next::ALL {
                for pop_top in PopTop::ALL {
                    machines.push(Machine {
                        next,
                        pop_top,
                        victim: Victim::Uniform,
                        ..Machine::new(Scheduler::VertexStealing, processors)
                    });
                }
            }
        }
        Self { families, machines }
    }

    pub(super) fn total(&self) -> usize {
        self.families.len() * self.machines.len()
    }
}

/// All runs, and what the checks found.
pub(super) struct CheckedRuns {
    pub(super) runs: Vec<CheckedRun>,
}

pub(super) struct CheckedRun {
    pub(super) scheduler: Scheduler,
    pub(super) steps: u64,
    pub(super) violation: Option<Violation>,
    /// The most attempts in one step over P − 1, for work stealing with more than one processor.
    pub(super) most_attempts: Option<f64>,
    /// The fewest steps of a round of 3·P attempts.
    pub(super) shortest_round: Option<u64>,
    /// Leaves that stalled under the greedy scheduler.
    pub(super) stalled_leaves: u64,
}

/// One run, if the scheduler can run the computation and BL99 promises something of it.
fn one(
    setting: &Setting<'_>,
    machine: &Machine,
    computation: &Computation,
    measures: &Measures,
    replication: u64,
) -> Option<CheckedRun> {
    let scheduler = machine.scheduler;
    scheduler.accepts(measures).ok()?;
    if scheduler == Scheduler::Stealing && !measures.fully_strict {
        return None;
    }
    let checked = machine.checked(computation, measures, setting.seed, replication);
    let mut run = CheckedRun {
        scheduler,
        steps: checked
            .as_ref()
            .map_or_else(|broken| broken.step, |outcome| outcome.time),
        violation: checked.err(),
        most_attempts: None,
        shortest_round: None,
        stalled_leaves: 0,
    };
    if scheduler == Scheduler::Greedy {
        let watched = machine.watched(computation, setting.seed, replication, StalledLeaves::of);
        let (_, leaves) = watched.expect("only counting");
        run.stalled_leaves = leaves.count;
    }
    if scheduler == Scheduler::Stealing && machine.processors > 1 {
        let rounds = |_| Rounds::of(machine.processors as u64);
        let watched = machine.watched(computation, setting.seed, replication, rounds);
        let (_, rounds) = watched.expect("only counting");
        run.most_attempts = Some(rounds.most as f64 / (machine.processors as f64 - 1.0));
        run.shortest_round = rounds.shortest;
    }
    Some(run)
}

impl CheckedRuns {
    /// Makes all runs.
    pub(super) fn make(setting: &Setting<'_>, plan: &CheckPlan) -> Self {
        let computations: Vec<(Computation, Measures)> = plan
            .families
            .iter()
            .map(|family| (family.computation(), family.measures()))
            .collect();
        let runs = setting.runs(plan.total(), |at| {
            let (which, machine) = (
                at as usize / plan.machines.len(),
                at as usize % plan.machines.len(),
            );
            let (computation, measures) = &computations[which];
            let machine = &plan.machines[machine];
            one(setting, machine, computation, measures, at)
        });
        Self {
            runs: runs.into_iter().flatten().collect(),
        }
    }
}
