//! The chain of two servers, queue lengths and memory, for each policy.

use filch_random::Seed;
use filch_sim::farm::{Batches, Class, Length, Run, Servers, simulate};
use filch_workload::Arrivals;

use crate::chain::Chain;
use crate::routing::{Seen, ways};
use crate::{assert_mean, poisson, uniform};

/// Queues shorter than this are told apart.
const LONGEST: usize = 40;

const POLICIES: &[&str] = &[
    "random",
    "round-robin",
    "jsq",
    "jsq:2",
    "jsq:1:1",
    "sed",
    "pi",
    "jiq",
    "idle(sed)",
    "idle(jsq:2)",
    "idle(jsq:1:1)",
    "idle-fastest(sed)",
    "idle-fastest(last)",
    "idle-one(last)",
    "idle-scatter(last)",
    "idle-speed(last)",
    "idle-scatter(random)",
];

/// Load 0.6: batches of mean 1.5, a server that always completes one job and one that completes one
/// or two.
const MEAN: f64 = 1.5;
const SPEEDS: [f64; 2] = [1.0, 1.5];

/// What is expected of a slot in equilibrium.
#[derive(Default)]
struct Exact {
    queue: f64,
    messages: f64,
    sub_batches: f64,
    /// Jobs that leave in the slot in which they arrive.
    at_once: f64,
}

fn solve(policy: &str, split: bool) -> Exact {
    let arrivals = poisson(MEAN, 14);
    let capacities = [uniform(1), uniform(2)];
    let listens = policy == "pi" || policy == "jiq" || policy.starts_with("idle");
    let state = |queues: [usize; 2], memory: usize| {
        let cut = queues.map(|queue| queue.min(LONGEST - 1));
        (cut[0] * LONGEST + cut[1]) * 2 + memory
    };
    let states = LONGEST * LONGEST * 2;
    let mut steps = vec![Vec::new(); states];
    let mut expected: Vec<Exact> = (0..states).map(|_| Exact::default()).collect();
    for (from, steps) in steps.iter_mut().enumerate() {
        let queues = [from / 2 / LONGEST, from / 2 % LONGEST];
        let seen = Seen {
            queues,
            speeds: SPEEDS,
            memory: from % 2,
            split,
        };
        let expected = &mut expected[from];
        expected.queue = (queues[0] + queues[1]) as f64;
        for (batch, &p) in arrivals.iter().enumerate() {
            let routed = match batch {
                0 => vec![crate::routing::Way {
                    probability: 1.0,
                    jobs: [0; 2],
                    memory: seen.memory,
                    probes: 0,
                }],
                _ => ways(policy, batch, seen),
            };
            for way in routed {
                let parts = way.jobs.iter().filter(|&&jobs| jobs > 0).count();
                expected.messages += p * way.probability * way.probes as f64;
                expected.sub_batches += p * way.probability * parts as f64;
                for &(first, q) in &capacities[0] {
                    for &(second, r) in &capacities[1] {
                        let chance = p * way.probability * q * r;
                        let served = [first, second];
                        let found = [0, 1].map(|server| queues[server] + way.jobs[server]);
                        let after =
                            [0, 1].map(|server| found[server].saturating_sub(served[server]));
                        for server in 0..2 {
                            let fell_idle = found[server] > 0 && after[server] == 0;
                            expected.messages += chance * f64::from(u8::from(listens && fell_idle));
                            let spare = served[server].saturating_sub(queues[server]);
                            expected.at_once += chance * spare.min(way.jobs[server]) as f64;
                        }
                        steps.push((state(after, way.memory) as u32, chance));
                    }
                }
            }
        }
        steps.sort_by_key(|step| step.0);
        steps.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0.0 };
            same
        });
        assert!((steps.iter().map(|step| step.1).sum::<f64>() - 1.0).abs() < 1e-9);
    }
    let law = Chain { steps }.stationary(0);
    let edge: f64 = (0..states)
        .filter(|&state| state / 2 / LONGEST == LONGEST - 1 || state / 2 % LONGEST == LONGEST - 1)
        .map(|state| law[state])
        .sum();
    assert!(edge < 1e-5, "{policy}: {edge} at the edge");
    let sum = |of: fn(&Exact) -> f64| law.iter().zip(&expected).map(|(p, x)| p * of(x)).sum();
    Exact {
        queue: sum(|x| x.queue),
        messages: sum(|x| x.messages),
        sub_batches: sum(|x| x.sub_batches),
        at_once: sum(|x| x.at_once),
    }
}

fn check(batches: Batches) {
    const REPLICATIONS: u64 = 24;
    const SLOTS: u32 = 60_000;
    const WARM_UP: u32 = 1_000;
    let class = |name: &str, capacity: &str| Class::new(name, 1, capacity.parse().unwrap());
    let servers = Servers::of(vec![
        class("slow", "uniform:1"),
        class("fast", "uniform:1.5"),
    ]);
    let servers = servers.unwrap();
    assert_eq!(servers.speeds(), SPEEDS);
    let run = |policy: &&str| {
        let arrivals = Arrivals::poisson(MEAN).unwrap();
        Run::of(policy.parse().unwrap(), batches, arrivals)
    };
    let runs: Vec<Run> = POLICIES.iter().map(run).collect();
    let length = Length {
        warm_up: WARM_UP,
        ..Length::of(SLOTS)
    };
    let outcomes: Vec<_> = (0..REPLICATIONS)
        .map(|replication| simulate(&servers, &runs, length, Seed::new(720), replication).unwrap())
        .collect();
    for (at, policy) in POLICIES.iter().enumerate() {
        let exact = solve(policy, batches == Batches::Split);
        let check = |what: &str, exact: f64, of: &dyn Fn(&filch_sim::farm::FarmOutcome) -> u64| {
            let per_slot = |run: &Vec<_>| of(&run[at]) as f64 / f64::from(SLOTS - WARM_UP);
            let values: Vec<f64> = outcomes.iter().map(per_slot).collect();
            assert_mean(&format!("{policy} {batches} {what}"), &values, exact);
        };
        check("queue", exact.queue, &|run| run.waited);
        check("sub-batches", exact.sub_batches, &|run| run.sub_batches);
        check("at once", exact.at_once, &|run| {
            let counts = &run.completions.as_ref().unwrap().counts;
            counts
                .iter()
                .filter(|count| count.0 == 1)
                .map(|count| count.1)
                .sum()
        });
        if exact.messages == 0.0 {
            assert!(outcomes.iter().all(|run| run[at].messages == 0), "{policy}");
        } else {
            check("messages", exact.messages, &|run| run.messages);
        }
    }
}

#[test]
fn whole_batches() {
    check(Batches::Whole);
}

#[test]
fn split_batches() {
    check(Batches::Split);
}
