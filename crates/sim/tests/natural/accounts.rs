//! What holds in every step: jobs are neither lost nor made up, and the same seed repeats.

use filch_policy::steal::{Steal, StealFunction};
use filch_random::Seed;
use filch_sim::natural::{Generate, Generators, Natural, Placed, StepCounts};
use filch_workload::{Placement, Probability};

use crate::{PLACEMENTS, process};

/// One generator on each processor: every job is processed in the step in which it is made.
#[test]
fn a_generator_each_leaves_nothing() {
    for lambda in [0.0, 0.5, 1.0] {
        let mut chain = process(1000, lambda, "half", "each").fast(1, 0);
        for _ in 0..100 {
            let step = chain.step();
            assert_eq!((step.load, step.longest, step.moved), (0, 0, 0));
            assert_eq!(step.served, step.generated);
            assert_eq!(step.requests, 1000 - step.generated);
        }
    }
}

/// Without stealing, `one` is a single queue that gains n·λ − 1 a step: with λ = 1 exactly n − 1.
#[test]
fn without_stealing_load_grows() {
    let mut chain = process(100, 1.0, "const:0", "one").fast(1, 0);
    for step in 1..=50 {
        assert_eq!(chain.step().load, 99 * step);
    }
    assert_eq!(chain.queues().length(0), 99 * 50);
}

/// Queues beyond 2³¹ jobs: the sum of all queues is the load, and no job is lost.
#[test]
fn long_queues_lose_nothing() {
    for steal in ["half", "const:1000000000", "const:0", "sqrt"] {
        let mut chain = process(70, 0.9, steal, "k:2").fast(5, 0);
        chain.put(0, 1 << 40);
        chain.put(69, (1 << 31) + 5);
        let mut load = chain.load();
        for _ in 0..300 {
            let step = chain.step();
            load = load + step.generated - step.served;
            assert_eq!((step.load, chain.load()), (load, load));
            assert_eq!(chain.queues().lengths().sum::<u64>(), load);
            assert_eq!(chain.queues().lengths().max(), Some(step.longest));
        }
    }
}

/// In every step of every process, load = load before + generated − served.
#[test]
fn jobs_are_conserved() {
    for placement in PLACEMENTS {
        for steal in [
            "half",
            "one",
            "sqrt",
            "log2",
            "min(half,3)",
            "const:5",
            "fraction:9",
        ] {
            let mut chain = process(200, 0.7, steal, placement).fast(9, 0);
            let mut load = 0;
            for _ in 0..300 {
                let step = chain.step();
                load = load + step.generated - step.served;
                assert_eq!(step.load, load);
                assert_eq!(chain.queues().lengths().sum::<u64>(), load);
                assert_eq!(chain.queues().lengths().max(), Some(step.longest));
                assert!(step.steals <= step.requests && step.steals <= step.moved);
            }
        }
    }
}

/// The same seed gives the same steps, another seed or replication others.
#[test]
fn repeatable() {
    let steps = |seed, replication| {
        let mut chain = process(100, 0.8, "half", "uniform").fast(seed, replication);
        (0..50).map(|_| chain.step()).collect::<Vec<_>>()
    };
    assert_eq!(steps(1, 0), steps(1, 0));
    assert_ne!(steps(1, 0), steps(1, 1));
    assert_ne!(steps(1, 0), steps(2, 0));
}

/// A user's fixed placement has the same law as the named one: here with λ = 1, where arrivals are
/// not random.
#[test]
fn own_placements_work() {
    let placer = || "k:3".parse::<Placement>().unwrap().start(10).unwrap();
    let lambda = Probability::new(1.0).unwrap();
    let seed = Seed::new(3);
    let mut own = Natural::new(
        10,
        Placed::new(placer(), 10, lambda),
        StealFunction::HALF,
        seed,
        0,
    );
    let mut named = Natural::new(
        10,
        Generators::new("k:3".parse().unwrap(), 10, lambda).unwrap(),
        StealFunction::HALF,
        seed,
        0,
    );
    for _ in 0..100 {
        assert_eq!(own.step(), named.step());
    }
}

/// A function that breaks Property 1 is clamped, so that no queue goes below zero.
#[test]
fn greedy_functions_are_clamped() {
    struct Everything;
    impl Steal for Everything {
        fn wanted(&self, load: u64) -> u64 {
            load
        }
        fn jobs(&self, load: u64) -> u64 {
            load
        }
    }
    fn steps<G: Generate, F: Steal>(mut chain: Natural<G, F>) -> Vec<StepCounts> {
        (0..100).map(|_| chain.step()).collect()
    }
    let generators =
        || Generators::new(Placement::One, 20, Probability::new(0.5).unwrap()).unwrap();
    let greedy = Natural::new(20, generators(), Everything, Seed::new(1), 0);
    let half = Natural::new(20, generators(), StealFunction::HALF, Seed::new(1), 0);
    assert_eq!(steps(greedy), steps(half));
}
