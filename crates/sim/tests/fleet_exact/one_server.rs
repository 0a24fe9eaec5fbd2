//! M/M/1, M/D/1, M/G/1 and batches, with one server.

use crate::{assert_mean, fleet, mean, replicated};

const UNTIL: f64 = 60_000.0;

/// M/M/1: the time in the system is exponential with rate μ − λ, so mean and tail are known.
#[test]
fn mean_and_tail_of_mm1() {
    for (load, dispatchers) in [(0.5, 1), (0.8, 3)] {
        let fleet = fleet(&["exp:1"], load, 1);
        let means = replicated("random", &fleet, dispatchers, UNTIL, |run| {
            mean(&run.latencies)
        });
        assert_mean("mean", &means, 1.0 / (1.0 - load));
        for beyond in [1.0, 3.0, 5.0] {
            let tails = replicated("random", &fleet, dispatchers, UNTIL, |run| {
                let slow = run.latencies.iter().filter(|&&time| time > beyond);
                slow.count() as f64 / run.latencies.len() as f64
            });
            assert_mean("tail", &tails, (-(1.0 - load) * beyond).exp());
        }
    }
}

/// The Pollaczek–Khinchine formula: a mean of E S + λ E S² / 2(1 − ρ).
#[test]
fn means_of_mg1() {
    for (law, second_moment) in [("constant:1", 1.0), ("pareto:6:1", 25.0 / 36.0 * 6.0 / 4.0)] {
        let fleet = fleet(&[law], 0.7, 1);
        let means = replicated("last", &fleet, 1, UNTIL, |run| mean(&run.latencies));
        assert_mean(law, &means, 1.0 + 0.7 * second_moment / (2.0 * 0.3));
    }
}

/// Batches of b: the work that a batch finds is that of M/G/1 with the sum of b exponential times
/// as service, and a job waits in addition for (b − 1)/2 others of its batch on average, and for
/// itself.
#[test]
fn means_of_batches() {
    let (load, batch) = (0.6, 10.0);
    let fleet = fleet(&["exp:1"], load, 10);
    let means = replicated("jsq", &fleet, 2, 4.0 * UNTIL, |run| mean(&run.latencies));
    let second_moment = batch + batch * batch;
    let found = load / batch * second_moment / (2.0 * (1.0 - load));
    assert_mean("batches", &means, found + (batch + 1.0) / 2.0);
}
