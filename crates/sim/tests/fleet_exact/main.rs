//! The fleet against exact answers: queues with one server, splitting at random, and two servers'
//! chain under `jsq`, solved on a finite part of the state space so large that the rest does not
//! matter; and for tokens, of which no answer is known, against a second simulation.
//!
//! Means over independent replications are compared by Student's interval at a level at which a
//! right program fails one comparison in a million; there are some thirty.

mod one_server;
mod places;
mod several;
mod tokens;
mod two_servers;

use filch_random::Seed;
use filch_sim::fleet::{Fleet, FleetOutcome, Horizon, PolicyFront, simulate};
use filch_stats::{Confidence, replications};
use filch_workload::ArrivalTimes;

/// A fleet of these servers.
fn fleet(servers: &[&str], rate: f64, batch: u32) -> Fleet {
    let servers = servers.iter().map(|law| law.parse().unwrap()).collect();
    Fleet::of(servers, ArrivalTimes::new(rate, batch).unwrap())
}

/// One run of a policy.
fn run(
    policy: &str,
    fleet: &Fleet,
    dispatchers: usize,
    tokens: bool,
    length: Horizon,
    replication: u64,
) -> FleetOutcome {
    let (policy, seed) = (policy.parse().unwrap(), Seed::new(900));
    let fronts =
        PolicyFront::fronts(policy, fleet, dispatchers, tokens, seed, replication).unwrap();
    simulate(fleet, fronts, length, seed, replication)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// What `measure` gives for each of 24 replications.
fn replicated(
    policy: &str,
    fleet: &Fleet,
    dispatchers: usize,
    until: f64,
    measure: impl Fn(&FleetOutcome) -> f64,
) -> Vec<f64> {
    let length = Horizon {
        warm_up: until / 20.0,
        ..Horizon::of(until)
    };
    (0..24)
        .map(|replication| measure(&run(policy, fleet, dispatchers, true, length, replication)))
        .collect()
}

/// `values`, one from each replication, have this mean.
#[track_caller]
fn assert_mean(what: &str, values: &[f64], exact: f64) {
    let level = Confidence::new(1.0 - 1e-6).unwrap();
    let estimate = replications(values, level).unwrap();
    assert!(
        estimate.interval().contains(exact),
        "{what}: {estimate}, exactly {exact}"
    );
    // And precise enough to be worth the comparison.
    assert!(
        estimate.half_width < 0.1 * exact,
        "{what}: {estimate}, exactly {exact}"
    );
}
