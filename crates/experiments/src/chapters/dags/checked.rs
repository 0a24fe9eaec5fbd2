//! Runs with every step checked: the lemmas about every step.

use filch_policy::steal::Victim;
use filch_sim::machine::{Adversary, Machine, Next, Scheduler, Violation};
use filch_workload::dag::{Computation, Family, Measures};

use super::watchers::{Rounds, StalledLeaves};
use crate::chapters::{Scale, Setting};
use crate::values::Claim;

pub(super) struct Plan {
    families: Vec<Family>,
    machines: Vec<Machine>,
}

impl Plan {
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
                machines.push(Machine {
                    next,
                    victim: Victim::Uniform,
                    ..Machine::new(Scheduler::VertexStealing, processors)
                });
            }
        }
        Self { families, machines }
    }

    pub(super) fn jobs(&self) -> usize {
        self.families.len() * self.machines.len()
    }
}

/// What came of all checks.
pub(super) struct Checks {
    runs: Vec<Run>,
}

struct Run {
    scheduler: Scheduler,
    steps: u64,
    violation: Option<Violation>,
    /// The most attempts in one step, as a part of P − 1, for work stealing with more than one
    /// processor.
    most_attempts: Option<f64>,
    /// The fewest steps of a round of 3·P attempts.
    shortest_round: Option<u64>,
    /// Leaves that stalled, under a scheduler that takes any order.
    stalled_leaves: u64,
}

pub(super) fn run(setting: &Setting<'_>, plan: &Plan) -> Checks {
    let computations: Vec<(Computation, Measures)> = plan
        .families
        .iter()
        .map(|family| (family.computation(), family.measures()))
        .collect();
    let runs = setting.runs(plan.jobs(), |at| {
        let (which, machine) = (
            at as usize / plan.machines.len(),
            at as usize % plan.machines.len(),
        );
        let (computation, measures) = &computations[which];
        let machine = &plan.machines[machine];
        one(setting, machine, computation, measures, at)
    });
    Checks {
        runs: runs.into_iter().flatten().collect(),
    }
}

/// One run, unless the scheduler cannot run the computation.
fn one(
    setting: &Setting<'_>,
    machine: &Machine,
    computation: &Computation,
    measures: &Measures,
    replication: u64,
) -> Option<Run> {
    let scheduler = machine.scheduler;
    scheduler.accepts(measures).ok()?;
    let checked = machine.checked(computation, measures, setting.seed, replication);
    let mut run = Run {
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

impl Checks {
    pub(super) fn bl99(&self) -> Vec<Claim> {
        use Scheduler::{BusyLeaves, Greedy, Stealing};
        let most = self
            .runs
            .iter()
            .filter_map(|run| run.most_attempts)
            .fold(0.0, f64::max);
        let shortest = self.runs.iter().filter_map(|run| run.shortest_round).min();
        let stalled: u64 = self.runs.iter().map(|run| run.stalled_leaves).sum();
        vec![
            Claim {
                claim: "no leaf of a strict computation ever stalls".to_owned(),
                stated: "BL99, section 3",
                checked: self.described(&[Greedy]),
                found: format!("{stalled} stalled"),
                measured: Some(stalled as f64),
                bound: Some(0.0),
                holds: stalled == 0,
            },
            self.claim(
                "busy leaves executes as many instructions as are ready, up to P, and greedy too",
                "BL99, sections 2 and 3",
                &[Greedy, BusyLeaves],
                "greediness",
            ),
            self.claim(
                "every leaf of the spawn subtree has a processor that works on it, in every step",
                "BL99, Theorem 3 and proof of Theorem 5",
                &[BusyLeaves, Stealing],
                "the busy-leaves",
            ),
            self.claim(
                "a deque is a chain of parents, and only its top may have been worked on since",
                "BL99, Lemma 4",
                &[Stealing],
                "Lemma 4",
            ),
            Claim {
                claim: "at most P − 1 steal attempts begin in a step, so a round of at least 3·P takes \
                        at least 4 steps"
                    .to_owned(),
                stated: "BL99, section 6",
                checked: self.described(&[Stealing]),
                found: format!(
                    "at most {most:.3}·(P − 1) in a step; the shortest round took {} steps",
                    shortest.map_or("no".to_owned(), |steps| steps.to_string())
                ),
                measured: Some(most),
                bound: Some(1.0),
                holds: most <= 1.0 && shortest.is_none_or(|steps| steps >= 4),
            },
        ]
    }

    pub(super) fn abp01(&self) -> Vec<Claim> {
        let vertex = |claim, stated, invariant| {
            self.claim(claim, stated, &[Scheduler::VertexStealing], invariant)
        };
        vec![
            vertex(
                "along a work sequence, designated parents are ancestors in the enabling tree, \
                 properly so but for the first two",
                "ABP01, structural lemma",
                "the structural lemma",
            ),
            vertex(
                "weights along a work sequence grow from the bottom to the top",
                "ABP01, corollary",
                "the corollary on weights",
            ),
            vertex(
                "the top of a deque holds at least 3/4 of its worker's potential",
                "ABP01, top-heavy deques",
                "the lemma on top-heavy",
            ),
            vertex(
                "the total potential never rises",
                "ABP01, decreasing total potential",
                "the decreasing potential",
            ),
        ]
    }

    /// A claim about every step, checked by the invariant whose name begins like this.
    fn claim(
        &self,
        claim: &str,
        stated: &'static str,
        schedulers: &[Scheduler],
        invariant: &str,
    ) -> Claim {
        let broken = self
            .runs
            .iter()
            .filter(|run| schedulers.contains(&run.scheduler));
        let broken: Vec<&Violation> = broken
            .filter_map(|run| run.violation.as_ref())
            .filter(|violation| violation.invariant.starts_with(invariant))
            .collect();
        Claim {
            claim: claim.to_owned(),
            stated,
            checked: self.described(schedulers),
            found: match broken.first() {
                None => "0 violations".to_owned(),
                Some(first) => format!("{} violations, first: {first}", broken.len()),
            },
            measured: Some(broken.len() as f64),
            bound: Some(0.0),
            holds: broken.is_empty(),
        }
    }

    fn described(&self, schedulers: &[Scheduler]) -> String {
        let runs = || {
            self.runs
                .iter()
                .filter(|run| schedulers.contains(&run.scheduler))
        };
        let names: Vec<_> = schedulers
            .iter()
            .map(|scheduler| scheduler.name())
            .collect();
        let steps: u64 = runs().map(|run| run.steps).sum();
        format!(
            "{}: {} runs of regular and random computations, {steps} steps, every one checked",
            names.join(" and "),
            runs().count()
        )
    }
}
