//! Work sharing and the other schedulers: what they send.

use filch_random::Seed;
use filch_sim::machine::{Machine, Order, PopTop, Scheduler};
use filch_workload::dag::Family;

fn family(name: &str) -> Family {
    name.parse().expect("a family")
}

fn sent(name: &str, scheduler: Scheduler, processors: usize, run: u64) -> u64 {
    let computation = family(name).computation();
    Machine::new(scheduler, processors)
        .run(&computation, Seed::new(1), run)
        .communication
}

/// Alone, no processor sends anything.
#[test]
fn one_processor_sends_nothing() {
    for scheduler in Scheduler::all() {
        for name in ["fib:10", "loop:20:3", "comb:10"] {
            assert_eq!(sent(name, scheduler, 1, 0), 0, "{name} {scheduler}");
        }
    }
}

/// A loop of N iterations with frames of size 1: sharing moves each of the N children with
/// probability 1 − 1/P, and each that was moved sends a message when it ends. The mean of 400 runs
/// is within five standard errors of 2·N·(1 − 1/P).
#[test]
fn sharing_moves_all_but_one_in_p() {
    for processors in [2, 8] {
        let (iterations, runs) = (100.0, 400);
        let total: u64 = (0..runs)
            .map(|run| sent("loop:100:5", Scheduler::Sharing, processors, run))
            .sum();
        let stays = 1.0 / processors as f64;
        let exact = 2.0 * iterations * (1.0 - stays);
        let error = 2.0 * (iterations * stays * (1.0 - stays) / runs as f64).sqrt();
        let mean = total as f64 / runs as f64;
        assert!(
            (mean - exact).abs() <= 5.0 * error,
            "{mean} ± {error}, {exact}"
        );
    }
}

/// Stolen children under the fork-join schedulers cost a frame and a message each.
#[test]
fn fork_join_pays_for_steals() {
    for scheduler in Scheduler::all() {
        let Scheduler::ForkJoin(_) = scheduler else {
            continue;
        };
        let family = family("fib:12");
        let machine = Machine::new(scheduler, 4);
        let outcome = machine.run(&family.computation(), Seed::new(1), 0);
        assert_eq!(outcome.communication, 2 * outcome.steals, "{scheduler}");
    }
}

/// Theorem 1 in every order, and the orders differ.
#[test]
fn greedy_in_any_order() {
    let family = family("random:200:3");
    let (computation, measures) = (family.computation(), family.measures());
    let spaces = Order::ALL.map(|order| {
        let machine = Machine {
            order,
            ..Machine::new(Scheduler::Greedy, 5)
        };
        let done = machine.checked(&computation, &measures, Seed::new(1), 0);
        done.unwrap_or_else(|broken| panic!("{order}: {broken}"))
            .peak_space
    });
    assert!(
        spaces[0] != spaces[1] || spaces[1] != spaces[2],
        "{spaces:?}"
    );
}

/// With contention attempts fail more often, and everything that is promised still holds.
#[test]
fn contention_fails_more_attempts() {
    let family = family("fib:14");
    let (computation, measures) = (family.computation(), family.measures());
    let failed = PopTop::ALL.map(|pop_top| {
        let machine = Machine {
            pop_top,
            ..Machine::new(Scheduler::VertexStealing, 32)
        };
        let failed = (0..20).map(|run| {
            let done = machine.checked(&computation, &measures, Seed::new(1), run);
            let outcome = done.unwrap_or_else(|broken| panic!("{pop_top}: {broken}"));
            outcome.steal - outcome.steals
        });
        failed.sum::<u64>()
    });
    assert!(failed[0] < failed[1], "{failed:?}");
}
