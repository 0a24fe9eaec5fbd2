//! The rivals on two processors, beside their chains solved exactly.
//!
//! With two processors the partner of an action is the other one, so that the law of a step can be
//! written down. Both generators sit on the first processor.

use std::collections::BTreeMap;

use filch_random::Seed;
use filch_sim::natural::Generators;
use filch_sim::natural::rivals::{Balanced, RivalName};
use filch_stats::{Confidence, batch_means};
use filch_workload::{Placement, Probability};

/// The two queues, and for `factor` the loads after the last action.
type State = [u64; 4];

/// Ends of a step's balancing: probability, state, requests, moved jobs.
type Ends = Vec<(f64, State, f64, f64)>;

const LAMBDA: f64 = 0.6;
/// Queues are truncated here.
const LONGEST: u64 = 40;

/// Two queues made equal; the longer keeps the odd job.
fn equal(state: &mut State) -> f64 {
    let (a, b) = (state[0], state[1]);
    let moved = a.abs_diff(b) / 2;
    if a > b {
        (state[0], state[1]) = (a - moved, b + moved);
    } else {
        (state[0], state[1]) = (a + moved, b - moved);
    }
    moved as f64
}

fn inverse(state: State, _: u64) -> Ends {
    let mut ends: Ends = vec![(1.0, state, 0.0, 0.0)];
    for processor in 0..2 {
        let mut next = Vec::new();
        for (probability, state, requests, moved) in ends {
            let acts = 1.0 / state[processor].max(1) as f64;
            let mut balanced = state;
            let more = equal(&mut balanced);
            next.push((probability * acts, balanced, requests + 1.0, moved + more));
            if acts < 1.0 {
                next.push((probability * (1.0 - acts), state, requests, moved));
            }
        }
        ends = next;
    }
    ends
}

/// `factor:2:1`.
fn factor(mut state: State, _: u64) -> Ends {
    let (mut requests, mut moved) = (0.0, 0.0);
    for processor in 0..2 {
        let (now, last) = (state[processor], state[processor + 2]);
        if now != last && (now >= 2 * last || 2 * now <= last) {
            moved += equal(&mut state);
            requests += 1.0;
            (state[2], state[3]) = (state[0], state[1]);
        }
    }
    vec![(1.0, state, requests, moved)]
}

/// Each of the `new` jobs draws two of the two queues, with replacement, and compares what they
/// were before.
fn two_choices(state: State, new: u64) -> Ends {
    let before = [state[0] - new, state[1]];
    // The probability that a job joins the first queue.
    let first = match before[0].cmp(&before[1]) {
        std::cmp::Ordering::Less => 0.75,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Greater => 0.25,
    };
    let mut ends = Vec::new();
    for stay in 0..=new {
        let ways = if new == 2 && stay == 1 { 2.0 } else { 1.0 };
        let probability =
            ways * f64::powi(first, stay as i32) * f64::powi(1.0 - first, (new - stay) as i32);
        let leave = new - stay;
        let next = [before[0] + stay, before[1] + leave, 0, 0];
        ends.push((probability, next, 2.0 * new as f64, leave as f64));
    }
    ends
}

/// The stationary means: load, requests and moved jobs of a step.
fn exact(balance: fn(State, u64) -> Ends) -> [f64; 3] {
    let mut law: BTreeMap<State, f64> = BTreeMap::from([([0; 4], 1.0)]);
    let mut means = [0.0; 3];
    for _ in 0..4000 {
        let mut next: BTreeMap<State, f64> = BTreeMap::new();
        let before = means;
        means = [0.0; 3];
        for (state, share) in &law {
            for (new, chance) in [
                (0, (1.0 - LAMBDA) * (1.0 - LAMBDA)),
                (1, 2.0 * LAMBDA * (1.0 - LAMBDA)),
                (2, LAMBDA * LAMBDA),
            ] {
                let mut loaded = *state;
                loaded[0] += new;
                for (probability, mut end, requests, moved) in balance(loaded, new) {
                    let weight = share * chance * probability;
                    for queue in &mut end[..2] {
                        *queue = queue.saturating_sub(1).min(LONGEST);
                    }
                    means[0] += weight * (end[0] + end[1]) as f64;
                    means[1] += weight * requests;
                    means[2] += weight * moved;
                    if weight > 1e-14 {
                        *next.entry(end).or_default() += weight;
                    }
                }
            }
        }
        let total: f64 = next.values().sum();
        next.values_mut().for_each(|share| *share /= total);
        law = next;
        if (0..3).all(|at| (means[at] - before[at]).abs() < 1e-12) {
            return means;
        }
    }
    panic!("not stationary: {means:?}");
}

/// 300 000 steps; means within six standard errors of batch means, which a correct program misses
/// once in more than 10⁶ seeds, and the seed is fixed.
fn agrees(name: &str, balance: fn(State, u64) -> Ends) {
    let lambda = Probability::new(LAMBDA).unwrap();
    let generators = Generators::new(Placement::One, 2, lambda).unwrap();
    let rival = name.parse::<RivalName>().unwrap().start(2).unwrap();
    let mut process = Balanced::new(2, generators, rival, Seed::new(1), 0);
    let mut series = [(); 3].map(|()| Vec::new());
    for step in 0..300_000 {
        let counts = process.step();
        let values = [counts.load, counts.requests, counts.moved];
        if step >= 1000 {
            series
                .iter_mut()
                .zip(values)
                .for_each(|(s, v)| s.push(v as f64));
        }
    }
    for (series, exact) in series.iter().zip(exact(balance)) {
        let found = batch_means(series, Confidence::NINETY_FIVE)
            .unwrap()
            .estimate;
        let off = (found.mean - exact).abs();
        assert!(
            off < 3.0 * found.half_width + 1e-9,
            "{name}: {found:?} {exact}"
        );
    }
}

#[test]
fn inverse_has_its_stationary_means() {
    agrees("inverse", inverse);
}

#[test]
fn factor_has_its_stationary_means() {
    agrees("factor:2:1", factor);
}

#[test]
fn two_choices_have_their_stationary_means() {
    agrees("two-choices", two_choices);
}

/// Jobs are neither made nor lost by balancing, with any rival and placement, and the same seed
/// gives the same run.
#[test]
fn every_job_is_accounted_for() {
    for name in ["inverse", "factor:1.5:3", "two-choices"] {
        for placement in ["one", "uniform", "longest", "zipf:1"] {
            let lambda = Probability::new(0.8).unwrap();
            let run = || {
                let generators = Generators::new(placement.parse().unwrap(), 20, lambda).unwrap();
                let rival = name.parse::<RivalName>().unwrap().start(20).unwrap();
                let mut process = Balanced::new(20, generators, rival, Seed::new(3), 0);
                let mut load = 0;
                let mut steps = Vec::new();
                for _ in 0..300 {
                    let counts = process.step();
                    load = load + counts.generated - counts.served;
                    assert_eq!(counts.load, load, "{name} {placement}");
                    assert_eq!(process.queues().lengths().sum::<u64>(), load);
                    assert_eq!(process.queues().lengths().max(), Some(counts.longest));
                    steps.push(counts);
                }
                steps
            };
            assert_eq!(run(), run(), "{name} {placement}");
        }
    }
}

#[test]
fn parameters_are_checked() {
    let on = |name: &str, processors| {
        name.parse::<RivalName>()
            .and_then(|name| name.start(processors))
    };
    assert!(
        on("factor:2:4", 4)
            .unwrap_err()
            .contains("below the number of processors")
    );
    assert!(on("factor:2:3", 4).is_ok());
    assert!(on("factor:x:1", 4).is_err() && on("inverse:2", 4).is_err() && on("", 4).is_err());
}
