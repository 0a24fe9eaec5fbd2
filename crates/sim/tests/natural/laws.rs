//! The law of the process: of one step, in the long run, and beside the transcription of the
//! figure.

use std::collections::HashMap;

use filch_random::{Purpose, Seed};
use filch_sim::natural::{PlainNatural, StepCounts};
use filch_stats::{Confidence, chi_square, replications};

use crate::figure::{Means, State};
use crate::{PLACEMENTS, process, stationary};

/// The states that a step may lead to, numbered, and their probabilities.
fn listed(law: &HashMap<State, f64>) -> (HashMap<State, usize>, Vec<f64>) {
    let mut states: Vec<_> = law.keys().cloned().collect();
    states.sort();
    let probabilities = states.iter().map(|state| law[state]).collect();
    (states.into_iter().zip(0..).collect(), probabilities)
}

/// One step from a given state, many times, against the exact law of a step: a chi-square test for
/// each start, process and implementation. A correct program fails one of the 243 with probability
/// 0.025.
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
                let mut counts: [_; 3] = std::array::from_fn(|_| vec![0; states.len()]);
                for replication in 0..5_000 {
                    let fast = process.fast(11, replication);
                    let grouped = process.fast(12, replication).in_groups_of(2);
                    for (mut chain, counts) in [fast, grouped].into_iter().zip(&mut counts) {
                        for (processor, &jobs) in start.iter().enumerate() {
                            chain.put(processor, jobs);
                        }
                        chain.step();
                        counts[states[&chain.queues().lengths().collect::<State>()]] += 1;
                    }

                    let place = process.placement.start(n).unwrap();
                    let mut plain =
                        PlainNatural::new(start.clone(), place, process.lambda(), process.steal);
                    plain.step(&mut rng);
                    counts[2][states[plain.queues()]] += 1;
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
fn run(mut step: impl FnMut() -> StepCounts) -> [f64; 5] {
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

/// Fails if the mean over independent runs is further from `exact` than happens with probability
/// 10⁻⁵.
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
/// longest queue, and requests, steals and jobs moved in a step. 37 processes with five means each:
/// a correct program fails with probability 1/500.
#[test]
fn small_chains_have_their_stationary_means() {
    let mut cases = Vec::new();
    for placement in PLACEMENTS {
        for (lambda, steal) in [(0.3, "half"), (0.6, "half"), (0.5, "one")] {
            cases.push((process(2, lambda, steal, placement), 60));
        }
    }
    for placement in ["one", "uniform", "k:2", "roam", "rotate", "longest"] {
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

/// On more processors than can be solved: the fast chain and the transcription of the figure have
/// the same means. 8 processes with five means each; a correct program fails with probability
/// 1/2500.
#[test]
fn fast_and_plain_agree() {
    for (seed, (steal, placement)) in [
        ("half", "one"),
        ("half", "k:7"),
        ("sqrt", "uniform"),
        ("half", "zipf:1"),
        ("fraction:4", "rotate"),
        ("half", "roam"),
        ("half", "longest"),
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
                let mut plain = PlainNatural::new(start, place, process.lambda(), process.steal);
                let mut rng =
                    Seed::new(300 + seed as u64).stream(Purpose::named("tests"), replication, 0);
                let short = |step: &mut dyn FnMut() -> StepCounts| {
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

/// The answer that the tests of the command line rely on.
#[test]
fn a_published_answer() {
    let exact = stationary::means(&process(2, 0.5, "half", "one"), 60);
    assert!((exact.load - 0.290_572_354).abs() < 1e-9, "{exact:?}");
}
