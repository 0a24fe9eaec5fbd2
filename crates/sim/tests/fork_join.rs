//! The schedulers of fork-join runtimes, with all that their rules promise checked at every step,
//! and the programs that show what a rule does not promise.

use filch_random::Seed;
use filch_sim::machine::{Costs, Machine, MachineOutcome, Reach, Rule, Scheduler, Stacks, WayBack};
use filch_workload::dag::{Computation, Dag, DagBuilder, Family, Instruction, Measures, Thread};
use proptest::prelude::*;

const FAMILIES: &[&str] = &[
    "fib:0",
    "fib:11",
    "tree:6:3",
    "chain:40",
    "loop:30:4",
    "comb:40",
    "items:50:10:60",
    "halving:50:10:60",
    "nested:7:7:10:60",
    "deep:40:64:10:15",
    "list:60:20",
    "stairs:20:200:10",
    "uneven:120:10:300",
];

const LEAPFROG: Rule = Rule::Leapfrog(Reach::Whole);
const NEAR: Rule = Rule::Leapfrog(Reach::Near);
const PASSED: Rule = Rule::HandOver(WayBack::Passed);
const OWN: Rule = Rule::HandOver(WayBack::Own);

const FREE: Costs = Costs {
    attempt: 1,
    wake: 0,
    patience: 0,
    start: 0,
};
const COSTLY: Costs = Costs {
    attempt: 3,
    wake: 17,
    patience: 9,
    start: 40,
};

fn machine(rule: Rule, processors: usize) -> Machine {
    Machine::new(Scheduler::ForkJoin(rule), processors)
}

fn known(name: &str) -> (Computation, Measures) {
    let family: Family = name.parse().unwrap();
    (family.computation(), family.measures())
}

fn stacks(outcome: &MachineOutcome) -> Stacks {
    outcome.stacks.expect("a fork-join machine")
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
fn all_rules_keep_their_promises() {
    for name in FAMILIES {
        for rule in Rule::ALL {
            for processors in [1, 2, 3, 8, 40] {
                for costs in [FREE, Costs::default(), COSTLY] {
                    for workers in [usize::MAX, processors, processors + 2] {
                        let machine = Machine {
                            costs,
                            workers,
                            ..machine(rule, processors)
                        };
                        let outcome = checked(name, &machine, 5);
                        assert!(stacks(&outcome).workers <= workers as u64);
                    }
                }
            }
        }
    }
}

/// One processor takes T1 steps and S1 space on one stack, and nothing is stolen.
#[test]
fn one_processor_runs_the_serial_program() {
    for name in FAMILIES {
        let (_, measures) = known(name);
        for rule in Rule::ALL {
            let outcome = checked(name, &machine(rule, 1), 1);
            assert_eq!(outcome.time, measures.work, "{name} {}", rule.name());
            assert_eq!(outcome.steals, 0);
            assert_eq!(outcome.peak_space, measures.stack_depth);
            assert_eq!(stacks(&outcome).deepest, measures.stack_depth);
        }
    }
}

/// A fork-join computation with the shape that `parents` give: thread i + 1 is spawned by thread
/// `parents[i] % (i + 1)`. `sizes` are its frames and how much a thread works before and after it
/// spawns; `rounds` says after how many children it joins.
fn program(parents: &[usize], sizes: &[(u8, u8, u8)], rounds: &[u8]) -> Dag {
    let mut dag = DagBuilder::new();
    let count = parents.len() + 1;
    let size = |at: usize| sizes[at % sizes.len()];
    let threads: Vec<_> = (0..count)
        .map(|at| dag.thread(format!("t{at}"), u64::from(size(at).0) + 1))
        .collect();
    let mut children = vec![Vec::new(); count];
    for (at, parent) in parents.iter().enumerate() {
        children[parent % (at + 1)].push(at + 1);
    }
    let mut last: Vec<Option<Instruction>> = vec![None; count];
    let mut number = 0;
    // Children have larger numbers, so their last instructions are known.
    for at in (0..count).rev() {
        let (_, before, after) = size(at);
        let mut instruction = |dag: &mut DagBuilder| {
            number += 1;
            dag.instruction(threads[at], format!("v{number}"))
        };
        for _ in 0..before {
            instruction(&mut dag);
        }
        let round = usize::from(rounds[at % rounds.len()]) + 1;
        for group in children[at].chunks(round) {
            for &child in group {
                let fork = instruction(&mut dag);
                dag.spawn(fork, threads[child]);
            }
            instruction(&mut dag);
            let sum = instruction(&mut dag);
            for &child in group {
                dag.join(last[child].expect("a larger number"), sum);
            }
        }
        for _ in 0..after {
            instruction(&mut dag);
        }
        last[at] = Some(instruction(&mut dag));
    }
    dag.build().expect("a fork-join computation")
}

/// Every spawn tree of up to six threads, with leaves of two lengths.
#[test]
fn small_programs_break_nothing() {
    for count in 0..6 {
        let shapes: usize = (1..=count).product();
        for shape in 0..shapes {
            let digits = (1..=count).scan(shape, |rest, base| {
                let digit = *rest % base;
                *rest /= base;
                Some(digit)
            });
            let parents: Vec<usize> = digits.collect();
            for sizes in [&[(0, 0, 0), (4, 1, 9), (0, 12, 0)][..], &[(3, 2, 5)]] {
                let dag = program(&parents, sizes, &[1, 9]);
                let measures = dag.measures();
                let computation = Computation::Explicit(dag);
                for (rule, processors) in Rule::ALL.into_iter().flat_map(|r| [(r, 2), (r, 3)]) {
                    for (seed, costs) in (0..6).zip([FREE, Costs::default()].iter().cycle()) {
                        let machine = Machine {
                            costs: *costs,
                            ..machine(rule, processors)
                        };
                        let run = machine.checked(&computation, &measures, Seed::new(seed), 0);
                        assert!(run.is_ok(), "{parents:?}, {machine:?}: {run:?}");
                    }
                }
            }
        }
    }
}

/// A tree of that depth whose threads spawn their children one after the other and then join with
/// them one by one, in the order of `joins`. A thread works for its number modulo `lengths`.
fn one_by_one(depth: u32, joins: &[usize], lengths: usize) -> Dag {
    fn grow(
        dag: &mut DagBuilder,
        number: &mut usize,
        depth: u32,
        joins: &[usize],
        lengths: usize,
    ) -> (Thread, Instruction) {
        *number += 1;
        let own = *number;
        let thread = dag.thread(format!("t{own}"), 1);
        let mut at = 0;
        let mut instruction = |dag: &mut DagBuilder| {
            at += 1;
            dag.instruction(thread, format!("t{own}:{at}"))
        };
        for _ in 0..=own % lengths {
            instruction(dag);
        }
        if depth > 0 {
            let mut ends = Vec::new();
            for _ in joins {
                let fork = instruction(dag);
                let (child, end) = grow(dag, number, depth - 1, joins, lengths);
                dag.spawn(fork, child);
                ends.push(end);
            }
            instruction(dag);
            for &child in joins {
                let sum = instruction(dag);
                dag.join(ends[child], sum);
            }
        }
        let last = instruction(dag);
        (thread, last)
    }
    let mut dag = DagBuilder::new();
    grow(&mut dag, &mut 0, depth, joins, lengths);
    dag.build().expect("a fork-join computation")
}

/// A frame that waits for a younger child does not help below an older one, under which it would
/// not see that it is ready; no run is endless, and all promises are kept.
#[test]
fn children_are_joined_in_any_order() {
    for joins in [&[1, 0][..], &[0, 1], &[1, 2, 0], &[2, 0, 1], &[0, 2, 1]] {
        for lengths in [1, 7, 40] {
            let dag = one_by_one(if joins.len() == 2 { 6 } else { 4 }, joins, lengths);
            let measures = dag.measures();
            let computation = Computation::Explicit(dag);
            for rule in Rule::ALL {
                for (processors, seed) in [2, 4, 9].into_iter().flat_map(|p| [(p, 1), (p, 2)]) {
                    for costs in [FREE, Costs::default(), COSTLY] {
                        let machine = Machine {
                            costs,
                            ..machine(rule, processors)
                        };
                        machine.scheduler.accepts(&measures).unwrap();
                        let run = machine.checked(&computation, &measures, Seed::new(seed), 0);
                        assert!(run.is_ok(), "{joins:?}, {machine:?}: {run:?}");
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Programs, machines, costs and seeds that were not chosen by hand.
    #[test]
    fn random_programs_break_nothing(
        parents in prop::collection::vec(any::<usize>(), 0..80),
        sizes in prop::collection::vec((0u8..20, 0u8..12, 0u8..12), 1..12),
        rounds in prop::collection::vec(0u8..4, 1..5),
        seed in any::<u64>(),
        processors in 1usize..12,
        rule in prop::sample::select(Rule::ALL.to_vec()),
        prices in (1u64..4, 0u64..9, 0u64..9, 0u64..9),
        spares in prop::option::of(0usize..5),
    ) {
        let dag = program(&parents, &sizes, &rounds);
        let measures = dag.measures();
        let (attempt, wake, patience, start) = prices;
        let machine = Machine {
            costs: Costs { attempt, wake, patience, start },
            workers: spares.map_or(usize::MAX, |spares| processors + spares),
            ..machine(rule, processors)
        };
        prop_assert!(machine.scheduler.accepts(&measures).is_ok());
        let computation = Computation::Explicit(dag);
        let outcome = machine.checked(&computation, &measures, Seed::new(seed), 0);
        let outcome = outcome.map_err(|violation| TestCaseError::fail(violation.to_string()))?;
        prop_assert!(outcome.time >= measures.span);
        prop_assert!(outcome.time * processors as u64 >= measures.work);
    }
}

/// The time of a run, over that of the slower of the two lower bounds.
fn over_ideal(name: &str, rule: Rule, processors: usize) -> f64 {
    let (computation, measures) = known(name);
    let outcome = machine(rule, processors).run(&computation, Seed::new(1), 0);
    let ideal = (measures.work as f64 / processors as f64).max(measures.span as f64);
    outcome.time as f64 / ideal
}

/// Items of a short and a long half: leapfrogging alone leaves most processors waiting.
#[test]
fn a_seat_that_is_handed_over_keeps_processors_busy() {
    for name in ["items:1600:100:1000", "halving:1600:100:1000"] {
        let [leapfrog, any, handed] =
            [LEAPFROG, Rule::HelpAny, PASSED].map(|rule| over_ideal(name, rule, 64));
        assert!(leapfrog > 1.1, "{name}: {leapfrog}");
        assert!(
            handed < 1.01 * any && handed < leapfrog / 1.1,
            "{name}: {handed} {any}"
        );
    }
}

/// Along a list everything that is ready lies below everything that waits, and a short reach does
/// not find it.
#[test]
fn a_list_needs_the_whole_reach() {
    let [near, whole, any] =
        [NEAR, LEAPFROG, Rule::HelpAny].map(|rule| over_ideal("list:400:500", rule, 16));
    assert!(
        near > 7.0 && whole < 1.3 && whole < any,
        "{near} {whole} {any}"
    );
}

/// Waiting for the seat that it had breaks S1·P: a worker that is ready is a leaf without a seat.
#[test]
fn waiting_for_the_own_seat_breaks_the_space_bound() {
    let (computation, measures) = known("deep:100:64:100:150");
    let outcome = machine(OWN, 4).run(&computation, Seed::new(1), 0);
    assert!(outcome.peak_space > 4 * measures.stack_depth, "{outcome:?}");
    assert!(stacks(&outcome).deepest <= measures.stack_depth);
    assert!(stacks(&outcome).seatless > 0);
}

/// Extra seats break S1·P: more than P leaves are ready at a time, and all have seats. The smallest
/// program that was found has eleven threads.
#[test]
fn extra_seats_break_the_space_bound() {
    let parents = [0, 0, 1, 1, 3, 3, 2, 2, 2, 2];
    let sizes = [
        (0, 9, 24),
        (0, 37, 11),
        (0, 32, 5),
        (200, 6, 40),
        (0, 18, 6),
        (0, 10, 28),
        (0, 10, 17),
        (200, 27, 15),
        (200, 53, 48),
        (200, 26, 30),
        (200, 45, 49),
    ];
    let dag = program(&parents, &sizes, &[9]);
    let bound = 3 * dag.measures().stack_depth;
    let computation = Computation::Explicit(dag);
    let peak = |back, replication| {
        let machine = Machine {
            costs: Costs { wake: 1, ..FREE },
            ..machine(Rule::HandOver(back), 3)
        };
        let seed = Seed::new(240_465);
        machine.run(&computation, seed, replication).peak_space
    };
    assert_eq!((peak(WayBack::Extra, 0), bound), (807, 612));
    assert!((0..500).all(|replication| peak(WayBack::Passed, replication) <= bound));
}

/// There is no bound on workers in P alone: the longer the stairs, the more.
#[test]
fn stairs_need_workers_by_their_length() {
    let workers = |name: &str| stacks(&checked(name, &machine(PASSED, 4), 2)).workers;
    let [short, long] = ["stairs:20:4000:50", "stairs:400:8000:50"].map(workers);
    assert!(short < 12 && long > 3 * short, "{short} {long}");
}

/// A bound on workers costs time and breaks nothing; with P of them it is leapfrogging.
#[test]
fn fewer_workers_are_slower() {
    let (computation, _) = known("items:400:100:1000");
    let time = |rule, workers| {
        let machine = Machine {
            workers,
            ..machine(rule, 16)
        };
        machine.run(&computation, Seed::new(1), 0).time
    };
    assert_eq!(time(PASSED, 16), time(LEAPFROG, 16));
    assert!(time(PASSED, 20) > time(PASSED, 32));
}

/// The same seed, the same run.
#[test]
fn runs_are_repeatable() {
    for rule in Rule::ALL {
        let (computation, _) = known("halving:200:10:100");
        let run = |replication| machine(rule, 16).run(&computation, Seed::new(3), replication);
        assert_eq!(run(0), run(0));
        assert_ne!(run(0), run(1), "{}", rule.name());
    }
}

/// A thread that joins more than once with its parent is for other schedulers.
#[test]
fn other_joins_are_refused() {
    for name in ["strict:40:1", "random:60:3"] {
        let (_, measures) = known(name);
        for rule in Rule::ALL {
            assert!(Scheduler::ForkJoin(rule).accepts(&measures).is_err());
        }
    }
}
