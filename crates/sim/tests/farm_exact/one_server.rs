//! Q ← [Q + a − s]⁺.

use filch_random::Seed;
use filch_sim::farm::{Batches, Class, Length, Run, Servers, simulate};
use filch_stats::chi_square;
use filch_workload::Arrivals;

use crate::chain::Chain;
use crate::{Capacity, assert_mean, poisson, uniform};

const STATES: usize = 400;

fn stationary(arrivals: &[f64], capacity: &Capacity) -> Vec<f64> {
    let from = |queue: usize| {
        let mut to = vec![0.0; STATES];
        for (batch, p) in arrivals.iter().enumerate() {
            for &(jobs, q) in capacity {
                to[(queue + batch).saturating_sub(jobs).min(STATES - 1)] += p * q;
            }
        }
        let possible = (0u32..).zip(to).filter(|step| step.1 > 0.0);
        possible.collect()
    };
    let law = Chain {
        steps: (0..STATES).map(from).collect(),
    }
    .stationary(0);
    assert!(law[STATES - 1] < 1e-9, "large enough");
    law
}

/// P(a job takes k slots), k = 0, 1, …: a server of constant capacity K serves the p-th job of a
/// batch that finds Q jobs in the ⌈(Q + p)/K⌉-th slot, and a batch has a p-th job with probability
/// P(a ≥ p).
fn completion_times(queue: &[f64], arrivals: &[f64], capacity: usize) -> Vec<f64> {
    let mean: f64 = (0..).zip(arrivals).map(|(k, p)| f64::from(k) * p).sum();
    let mut law = vec![0.0; STATES];
    for place in 1..arrivals.len() {
        let exists: f64 = arrivals[place..].iter().sum();
        for (waiting, p) in queue.iter().enumerate() {
            let took = (waiting + place).div_ceil(capacity).min(STATES - 1);
            law[took] += p * exists / mean;
        }
    }
    law
}

fn check(index: u64, capacity: &str, law: Capacity, mean: f64) {
    const REPLICATIONS: u64 = 32;
    const SLOTS: u32 = 100_000;
    let arrivals = poisson(mean, 64);
    let queue = stationary(&arrivals, &law);
    let exact: f64 = (0..).zip(&queue).map(|(k, p)| f64::from(k) * p).sum();

    let class = Class::new("one", 1, capacity.parse().unwrap());
    let servers = Servers::of(vec![class]).unwrap();
    let policy = "jsq".parse().unwrap();
    let run = Run::of(policy, Batches::Whole, Arrivals::poisson(mean).unwrap());
    // One point of the trajectory is the sum over a hundred slots, so single slots are looked at
    // separately below.
    let length = Length {
        warm_up: 2_000,
        ..Length::of(SLOTS)
    };
    let runs: Vec<_> = (0..REPLICATIONS)
        .map(|replication| {
            let runs = std::slice::from_ref(&run);
            let seed = Seed::new(700 + index);
            simulate(&servers, runs, length, seed, replication)
                .unwrap()
                .remove(0)
        })
        .collect();
    let per_slot = |count: u64| count as f64 / f64::from(SLOTS - 2_000);
    let queues: Vec<f64> = runs.iter().map(|run| per_slot(run.waited)).collect();
    assert_mean(&format!("{capacity} queue"), &queues, exact);

    if let [(jobs, _)] = law[..] {
        let times = completion_times(&queue, &arrivals, jobs);
        for longest in [1, 2, 3, 5, 8] {
            let exact: f64 = times[..=longest].iter().sum();
            let fractions: Vec<f64> = runs
                .iter()
                .map(|run| {
                    let counts = &run.completions.as_ref().unwrap().counts;
                    let within = counts.iter().filter(|count| count.0 <= longest as u64);
                    within.map(|count| count.1).sum::<u64>() as f64 / run.jobs as f64
                })
                .collect();
            assert_mean(&format!("{capacity} within {longest}"), &fractions, exact);
        }
    }
}

#[test]
fn means_and_completion_times_are_exact() {
    check(0, "constant:1", vec![(1, 1.0)], 0.7);
    check(1, "constant:3", vec![(3, 1.0)], 2.4);
    check(2, "uniform:2", uniform(3), 1.5);
    check(3, "table:1=3,9=1", vec![(1, 0.75), (9, 0.25)], 2.0);
}

/// The whole distribution: the queue every 250 slots, by when it has forgotten (the slowest mode of
/// this walk decays by a factor of 0.94 a slot). A right program fails once in 10 000 times.
#[test]
fn queues_have_their_distribution() {
    let law = uniform(3);
    let expected = stationary(&poisson(1.5, 64), &law);
    let class = Class::new("one", 1, "uniform:2".parse().unwrap());
    let servers = Servers::of(vec![class]).unwrap();
    let policy = "jsq".parse().unwrap();
    let run = Run {
        completions: false,
        ..Run::of(policy, Batches::Whole, Arrivals::poisson(1.5).unwrap())
    };
    let length = Length {
        points: u32::MAX,
        ..Length::of(1_000_000)
    };
    let outcome = simulate(&servers, &[run], length, Seed::new(710), 0).unwrap();
    let trajectory = &outcome[0].trajectory;
    assert_eq!(trajectory.every(), 1);
    let mut observed = vec![0; STATES];
    for &queue in trajectory.sums().iter().skip(250).step_by(250) {
        observed[queue as usize] += 1;
    }
    let p = chi_square(&observed, &expected).unwrap();
    assert!(p > 1e-4, "{p}");
}
