//! Every scheduler on every kind of computation, with all that the papers promise checked at every
//! step, and exact answers where there are some.

use filch_policy::steal::Victim;
use filch_random::Seed;
use filch_sim::machine::{Adversary, Machine, MachineOutcome, Next, Order, Scheduler};
use filch_stats::most_errors;
use filch_workload::dag::{Computation, DagBuilder, Family, Measures};
use proptest::prelude::*;

const FULLY_STRICT: &[&str] = &[
    "figure1",
    "fib:0",
    "fib:1",
    "fib:9",
    "tree:5:3",
    "chain:1",
    "chain:40",
    "loop:30:4",
    "comb:40",
    "random:60:3",
];

fn known(name: &str) -> (Computation, Measures) {
    let family: Family = name.parse().unwrap();
    (family.computation(), family.measures())
}

/// Runs with all checks; a violation is a failed test.
#[track_caller]
fn checked(name: &str, machine: &Machine, seed: u64) -> MachineOutcome {
    let (computation, measures) = known(name);
    machine.scheduler.accepts(&measures).unwrap();
    match machine.checked(&computation, &measures, Seed::new(seed), 0) {
        Ok(outcome) => outcome,
        Err(violation) => panic!("{name}, {machine:?}: {violation}"),
    }
}

#[test]
fn all_schedulers_keep_their_promises() {
    for name in FULLY_STRICT {
        for scheduler in Scheduler::ALL {
            for processors in [1, 2, 3, 8, 100] {
                for victim in [Victim::Uniform, Victim::UniformOther] {
                    for (adversary, next) in Adversary::ALL.into_iter().zip([
                        Next::Continuation,
                        Next::Spawned,
                        Next::Spawned,
                    ]) {
                        let machine = Machine {
                            adversary,
                            next,
                            victim,
                            ..Machine::new(scheduler, processors)
                        };
                        checked(name, &machine, 5);
                    }
                }
            }
        }
    }
}

/// All schedulers of the papers run strict computations. What BL99 promises of stealing is for
/// fully strict ones, so the accounting of dollars alone is checked of it here.
#[test]
fn strict_computations_keep_the_accounts() {
    for seed in 0..20 {
        let name = format!("strict:40:{seed}");
        let (_, measures) = known(&name);
        assert!(measures.strict && !measures.fully_strict);
        for scheduler in Scheduler::ALL {
            for processors in [1, 2, 7] {
                checked(&name, &Machine::new(scheduler, processors), seed);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Computations, machines and seeds that were not chosen by hand.
    #[test]
    fn random_computations_break_nothing(
        threads in 1u32..120,
        shape in any::<u64>(),
        seed in any::<u64>(),
        processors in 1usize..20,
        scheduler in prop::sample::select(Scheduler::ALL.to_vec()),
        adversary in prop::sample::select(Adversary::ALL.to_vec()),
        next in prop::sample::select(Next::ALL.to_vec()),
        victim in prop::sample::select(vec![Victim::Uniform, Victim::UniformOther]),
    ) {
        let machine = Machine { adversary, next, victim, ..Machine::new(scheduler, processors) };
        let outcome = checked(&format!("random:{threads}:{shape}"), &machine, seed);
        prop_assert!(outcome.time >= outcome.work / processors as u64);
    }
}

/// One processor takes T1 steps and, children first, S1 space.
#[test]
fn one_processor_takes_the_work_and_the_stack_depth() {
    for name in FULLY_STRICT {
        let (_, measures) = known(name);
        for scheduler in Scheduler::ALL {
            let machine = Machine {
                next: Next::Spawned,
                ..Machine::new(scheduler, 1)
            };
            let outcome = checked(name, &machine, 1);
            assert_eq!(outcome.time, measures.work, "{name} {scheduler}");
            // These two go on with the parent.
            if !matches!(scheduler, Scheduler::Greedy | Scheduler::Sharing) {
                assert_eq!(
                    outcome.peak_space, measures.stack_depth,
                    "{name} {scheduler}"
                );
            }
        }
    }
}

/// Greedy schedules on as many processors as one likes take exactly Tinf.
#[test]
fn unlimited_processors_take_the_span() {
    for name in FULLY_STRICT.iter().chain(&["strict:60:1"]) {
        let (_, measures) = known(name);
        for scheduler in [Scheduler::Greedy, Scheduler::BusyLeaves] {
            let outcome = checked(name, &Machine::new(scheduler, 2000), 1);
            assert_eq!(outcome.time, measures.span, "{name} {scheduler}");
        }
    }
}

/// A root `fork, work, sum` and a child of `grain` instructions on two processors. The thief asks
/// the right one with probability 1/2 each step, and has `grain` steps to steal the root: then the
/// run takes grain + 2 steps, otherwise one more. A right machine fails this once in a million
/// times.
#[test]
fn two_processors_meet_the_exact_distribution() {
    const RUNS: u64 = 20_000;
    for grain in [1, 2, 4] {
        let mut dag = DagBuilder::new();
        let (root, child) = (dag.thread("root", 1), dag.thread("child", 1));
        let [fork, _, sum] = ["fork", "work", "sum"].map(|name| dag.instruction(root, name));
        let mut last = fork;
        for at in 0..grain {
            last = dag.instruction(child, format!("leaf{at}"));
        }
        dag.spawn(fork, child);
        dag.join(last, sum);
        let computation = Computation::Explicit(dag.build().unwrap());
        for scheduler in [Scheduler::Stealing, Scheduler::VertexStealing] {
            let machine = Machine {
                next: Next::Spawned,
                ..Machine::new(scheduler, 2)
            };
            let mut late = 0;
            for run in 0..RUNS {
                let time = machine.run(&computation, Seed::new(1), run).time;
                assert!(time == grain + 2 || time == grain + 3, "{time}");
                late += u64::from(time == grain + 3);
            }
            let chance = 0.5f64.powi(grain as i32);
            assert!(
                late <= most_errors(RUNS, chance, 5e-7),
                "{scheduler} {grain}: {late}"
            );
            let on_time = RUNS - late;
            assert!(
                on_time <= most_errors(RUNS, 1.0 - chance, 5e-7),
                "{scheduler} {grain}: {late}"
            );
        }
    }
}

/// The same seed gives the same run, watched or not, and another seed another.
#[test]
fn runs_are_repeatable() {
    let (computation, measures) = known("fib:14");
    let papers = Scheduler::ALL.map(|scheduler| Machine::new(scheduler, 16));
    let any_order = Machine {
        order: Order::Random,
        ..Machine::new(Scheduler::Greedy, 16)
    };
    for machine in papers.into_iter().chain([any_order]) {
        let plain = machine.run(&computation, Seed::new(3), 4);
        assert_eq!(plain, machine.run(&computation, Seed::new(3), 4));
        let checked = machine
            .checked(&computation, &measures, Seed::new(3), 4)
            .unwrap();
        assert_eq!(plain, checked);
        let (recorded, _) = machine
            .recorded(&computation, Seed::new(3), 4, 100_000)
            .unwrap();
        assert_eq!(plain, recorded);
        let other = machine.run(&computation, Seed::new(3), 5);
        assert_eq!(plain != other, machine.is_random(), "{machine:?}");
    }
}

/// Pinned totals: a change here is a change of published figures and must be announced as one.
#[test]
fn outcomes_are_pinned() {
    let (computation, _) = known("fib:18");
    let totals = |scheduler| {
        let outcome = Machine::new(scheduler, 32).run(&computation, Seed::new(1), 0);
        (
            outcome.time,
            outcome.steal,
            outcome.wait,
            outcome.steals,
            outcome.peak_space,
        )
    };
    assert_eq!(totals(Scheduler::Stealing), PINNED[0]);
    assert_eq!(totals(Scheduler::VertexStealing), PINNED[1]);
}

const PINNED: [(u64, u64, u64, u64, u64); 2] =
    [(700, 1160, 339, 449, 309), (693, 1275, 0, 318, 361)];

/// More processors than anything has instructions.
#[test]
fn a_hundred_thousand_processors() {
    for scheduler in Scheduler::ALL {
        let (computation, measures) = known("tree:8:2");
        let outcome = Machine::new(scheduler, 100_000).run(&computation, Seed::new(1), 0);
        assert_eq!(outcome.work, measures.work);
        assert_eq!(outcome.dollars(), 100_000 * outcome.time);
    }
}

/// A record says the same as the totals, and its deques can be replayed.
#[test]
fn records_are_complete() {
    use filch_sim::machine::Act;
    let (computation, measures) = known("random:40:5");
    let machine = Machine::new(Scheduler::Stealing, 4);
    let (outcome, record) = machine
        .recorded(&computation, Seed::new(1), 0, 10_000)
        .unwrap();
    assert_eq!(record.steps.len() as u64, outcome.time);
    assert_eq!(record.threads.len() as u64, measures.threads);
    let count = |of: fn(&Act) -> bool| {
        let acts = record.steps.iter().flat_map(|step| &step.acts);
        acts.filter(|act| of(act)).count() as u64
    };
    assert_eq!(count(|act| matches!(act, Act::Work { .. })), outcome.work);
    assert_eq!(count(|act| matches!(act, Act::Steal { .. })), outcome.steal);
    assert_eq!(count(|act| matches!(act, Act::Wait)), outcome.wait);
    let stolen = record.steps.iter().flat_map(|step| &step.served);
    assert_eq!(
        stolen.filter(|served| served.thread.is_some()).count() as u64,
        outcome.steals
    );

    // From one step to the next a deque changes by its owner's act and by one theft.
    for pair in record.steps.windows(2) {
        for (processor, deque) in pair[0].deques.iter().enumerate() {
            let mut deque = deque.clone();
            if let Act::Work {
                thread,
                spawns,
                enables,
                then,
                ..
            } = &pair[0].acts[processor]
            {
                for &other in enables {
                    deque.insert(0, other);
                }
                if spawns.is_some() {
                    deque.insert(0, *thread);
                } else if *then != filch_sim::machine::Then::Ready && !deque.is_empty() {
                    deque.remove(0);
                }
            }
            for served in &pair[0].served {
                if served.victim == processor && served.thread.is_some() {
                    assert_eq!(deque.pop(), served.thread, "from the top");
                }
            }
            assert_eq!(deque, pair[1].deques[processor]);
        }
    }
}

#[test]
fn records_are_plain_data() {
    let (computation, _) = known("figure1");
    let machine = Machine::new(Scheduler::Stealing, 2);
    let (_, record) = machine
        .recorded(&computation, Seed::new(1), 0, 100)
        .unwrap();
    let json = serde_json::to_value(&record).unwrap();
    assert_eq!(json["threads"][0]["name"], "Γ1");
    assert_eq!(json["steps"][0]["acts"][0]["act"], "work");
    assert_eq!(json["steps"][0]["acts"][1]["act"], "steal");
    assert!(machine.recorded(&computation, Seed::new(1), 0, 5).is_err());
}
