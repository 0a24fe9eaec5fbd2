//! The natural process against exact answers, and against the figure word by word.
//!
//! Statistical tests state how often a right program fails them; seeds are fixed, so a test passes
//! always or never.

mod coupled;
mod figure;
mod stationary;

use std::collections::HashMap;

use figure::{Means, Process, State};
use filch_policy::steal::{Steal, StealFunction};
use filch_random::{Purpose, Seed};
use filch_sim::natural::{Generate, Generators, Natural, Placed, Plain, Step};
use filch_stats::{Confidence, chi_square, replications};
use filch_workload::{Placement, Probability};

const PLACEMENTS: [&str; 6] = ["each", "one", "k:2", "uniform", "rotate", "zipf:1.5"];

fn process(n: usize, lambda: f64, steal: &str, placement: &str) -> Process {
    Process {
        n,
        lambda,
        steal: steal.parse().unwrap(),
        placement: placement.parse().unwrap(),
    }
}

impl Process {
    fn lambda(&self) -> Probability {
        Probability::new(self.lambda).unwrap()
    }

    fn fast(&self, seed: u64, replication: u64) -> Natural<Generators, StealFunction> {
        let generators = Generators::new(self.placement, self.n, self.lambda()).unwrap();
        Natural::new(self.n, generators, self.steal, Seed::new(seed), replication)
    }
}

/// What a step may lead to, in an order, with probabilities.
fn listed(law: &HashMap<State, f64>) -> (HashMap<State, usize>, Vec<f64>) {
    let mut states: Vec<_> = law.keys().cloned().collect();
    states.sort();
    let probabilities = states.iter().map(|state| law[state]).collect();
    (states.into_iter().zip(0..).collect(), probabilities)
}

/// One step from a given state, many times, against the exact law of a step: chi-square for each
/// start, process and implementation. A right program fails one of the 108 once in 100 times.
#[test]
fn a_step_has_its_law() {
    let starts: [(usize, State); 3] = [(2, vec![5, 0]), (3, vec![0, 9, 0]), (4, vec![7, 0, 0, 0])];
    for (number, (n, start)) in starts.into_iter().enumerate() {
        for (at, placement) in PLACEMENTS.into_iter().enumerate() {
            for (steal, lambda) in [("half", 0.3), ("min(half,2)", 0.1), ("sqrt", 0.0)] {
                let process = process(n, lambda, steal, placement);
                let (states, probabilities) = listed(&process.step(0, &start).next);
                let mut rng =
                    Seed::new(11).stream(Purpose::named("tests"), number as u64, at as u64);
                let mut counts = [vec![0; states.len()], vec![0; states.len()]];
                for replication in 0..5_000 {
                    let mut fast = process.fast(11, replication);
                    for (processor, &jobs) in start.iter().enumerate() {
                        fast.put(processor, jobs);
                    }
                    fast.step();
                    counts[0][states[&fast.queues().lengths().collect::<State>()]] += 1;

                    let place = process.placement.start(n).unwrap();
                    let mut plain =
                        Plain::new(start.clone(), place, process.lambda(), process.steal);
                    plain.step(&mut rng);
                    counts[1][states[plain.queues()]] += 1;
                }
                for counts in counts {
                    let p = chi_square(&counts, &probabilities);
                    assert!(p.is_none_or(|p| p > 1e-4), "{process:?}: {p:?}");
                }
            }
        }
    }
}

const STEPS: u64 = 20_000;
const WARM_UP: u64 = 2_000;

/// The means over a run after its warm-up.
fn run(mut step: impl FnMut() -> Step) -> [f64; 5] {
    for _ in 0..WARM_UP {
        step();
    }
    let mut sums = [0; 5];
    for _ in 0..STEPS {
        let step = step();
        let seen = [
            step.load,
            step.longest,
            step.requests,
            step.steals,
            step.moved,
        ];
        for (sum, seen) in sums.iter_mut().zip(seen) {
            *sum += seen;
        }
    }
    sums.map(|sum| sum as f64 / STEPS as f64)
}

/// Fails if the mean over independent runs is further from `exact` than happens once in 100 000
/// times.
#[track_caller]
fn assert_mean(values: &[f64], exact: f64, what: &str) {
    let confidence = Confidence::new(1.0 - 1e-5).unwrap();
    let estimate = replications(values, confidence).unwrap();
    assert!(
        (estimate.mean - exact).abs() <= estimate.half_width + 1e-9,
        "{what}: {} ± {} is not {exact}",
        estimate.mean,
        estimate.half_width
    );
}

/// Two and three processors against the chain solved exactly: the mean system load, the mean of the
/// longest queue, and requests, steals and jobs moved in a step. 26 processes with five means each:
/// a right program fails once in 700 times.
#[test]
fn small_chains_have_their_stationary_means() {
    let mut cases = Vec::new();
    for placement in PLACEMENTS {
        for (lambda, steal) in [(0.3, "half"), (0.6, "half"), (0.5, "one")] {
            cases.push((process(2, lambda, steal, placement), 60));
        }
    }
    for placement in ["one", "uniform", "k:2", "rotate"] {
        cases.push((process(3, 0.4, "half", placement), 24));
    }
    cases.push((process(3, 0.4, "const:2", "one"), 30));
    cases.push((process(3, 0.3, "log2", "one"), 24));
    cases.push((process(3, 0.3, "fraction:3", "zipf:1.5"), 24));
    cases.push((process(2, 0.9, "half", "uniform"), 130));
    for (seed, (process, cut)) in cases.into_iter().enumerate() {
        let exact = stationary::means(&process, cut);
        let runs: Vec<[f64; 5]> = (0..16)
            .map(|replication| {
                let mut chain = process.fast(100 + seed as u64, replication);
                run(|| chain.step())
            })
            .collect();
        let Means {
            load,
            longest,
            requests,
            steals,
            moved,
        } = exact;
        for (at, exact) in [load, longest, requests, steals, moved]
            .into_iter()
            .enumerate()
        {
            let values: Vec<f64> = runs.iter().map(|run| run[at]).collect();
            let what = ["load", "longest", "requests", "steals", "moved"][at];
            assert_mean(&values, exact, &format!("{what} of {process:?}"));
        }
    }
}

/// On more processors than can be solved: the fast chain and the figure word by word have the same
/// means. 6 processes with five means each; a right program fails once in 3000 times.
#[test]
fn fast_and_plain_agree() {
    for (seed, (steal, placement)) in [
        ("half", "one"),
        ("half", "k:7"),
        ("sqrt", "uniform"),
        ("half", "zipf:1"),
        ("fraction:4", "rotate"),
        ("const:40", "each"),
    ]
    .into_iter()
    .enumerate()
    {
        let process = process(130, 0.8, steal, placement);
        let pairs: Vec<[[f64; 5]; 2]> = (0..12)
            .map(|replication| {
                let mut fast = process.fast(200 + seed as u64, replication);
                let place = process.placement.start(process.n).unwrap();
                let start = vec![0; process.n];
                let mut plain = Plain::new(start, place, process.lambda(), process.steal);
                let mut rng =
                    Seed::new(300 + seed as u64).stream(Purpose::named("tests"), replication, 0);
                let short = |step: &mut dyn FnMut() -> Step| {
                    let mut sums = [0.0; 5];
                    for number in 0..3000 {
                        let step = step();
                        let seen = [
                            step.load,
                            step.longest,
                            step.requests,
                            step.steals,
                            step.moved,
                        ];
                        if number >= 500 {
                            for (sum, seen) in sums.iter_mut().zip(seen) {
                                *sum += seen as f64 / 2500.0;
                            }
                        }
                    }
                    sums
                };
                [
                    short(&mut || fast.step()),
                    short(&mut || plain.step(&mut rng)),
                ]
            })
            .collect();
        for at in 0..5 {
            let differences: Vec<f64> = pairs.iter().map(|[a, b]| a[at] - b[at]).collect();
            assert_mean(&differences, 0.0, &format!("{at} of {process:?}"));
        }
    }
}

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

/// Queues beyond 2³¹ jobs: the sum of all queues is the load, and nobody loses a job.
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

/// Every step keeps its books, whatever the process.
#[test]
fn books_balance() {
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

/// A placement that is fixed and one that says nothing about it have the same law: here with λ = 1,
/// where nothing about arrivals is random.
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
    fn steps<G: Generate, F: Steal>(mut chain: Natural<G, F>) -> Vec<Step> {
        (0..100).map(|_| chain.step()).collect()
    }
    let generators =
        || Generators::new(Placement::One, 20, Probability::new(0.5).unwrap()).unwrap();
    let greedy = Natural::new(20, generators(), Everything, Seed::new(1), 0);
    let half = Natural::new(20, generators(), StealFunction::HALF, Seed::new(1), 0);
    assert_eq!(steps(greedy), steps(half));
}

/// The answer that the tests of the command line rely on.
#[test]
fn a_published_answer() {
    let exact = stationary::means(&process(2, 0.5, "half", "one"), 60);
    assert!((exact.load - 0.290_572_354).abs() < 1e-9, "{exact:?}");
}
