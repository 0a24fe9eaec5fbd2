//! Processes whose mean and stability are known, for the tests.

use filch_random::{Purpose, Seed, Stream};
use rand::RngExt;
use rand_distr::StandardNormal;

/// The seed of every test in this crate; `index` tells the tests apart.
pub(crate) const TESTS: Seed = Seed::new(2024);
pub(crate) const AR1: Purpose = Purpose::named("ar1");
pub(crate) const QUEUE: Purpose = Purpose::named("queue");
pub(crate) const BROWNIAN: Purpose = Purpose::named("brownian");

/// A standard normal number.
pub(crate) fn normal(stream: &mut Stream) -> f64 {
    stream.sample(StandardNormal)
}

/// x' = φ·x + ε with standard normal ε, from x = `start`: mean 0, forgets its start like φ^t.
pub(crate) fn ar1(stream: &mut Stream, phi: f64, start: f64, length: usize) -> Vec<f64> {
    let mut x = start;
    let step = |_| {
        x = phi * x + normal(stream);
        x
    };
    (0..length).map(step).collect()
}

/// Poisson numbers by inversion from a table of P(A ≤ a)·2⁶⁴; quick and exact for means up to 10.
pub(crate) struct Poisson(Vec<u64>);

impl Poisson {
    pub(crate) fn new(mean: f64) -> Self {
        let mut table = Vec::new();
        let (mut term, mut below) = ((-mean).exp(), 0.0);
        for a in 1..60 {
            below += term;
            term *= mean / f64::from(a);
            table.push((below * 2f64.powi(64)) as u64);
        }
        Self(table)
    }

    pub(crate) fn sample(&self, stream: &mut Stream) -> usize {
        let u: u64 = stream.random();
        self.0
            .iter()
            .position(|&bound| u < bound)
            .unwrap_or(self.0.len())
    }
}

/// A single server that finishes one job a step, fed by Poisson arrivals of mean `rho` and started
/// empty: stable for `rho` < 1, null recurrent at 1, transient above.
pub(crate) fn queue(stream: &mut Stream, rho: f64, length: usize) -> Vec<f64> {
    farm(stream, &[rho], length)
}

/// The total load of independent such servers.
pub(crate) fn farm(stream: &mut Stream, rho: &[f64], length: usize) -> Vec<f64> {
    let mut total = vec![0.0; length];
    for &rho in rho {
        let arrivals = Poisson::new(rho);
        let mut x = 0usize;
        for load in &mut total {
            x = (x + arrivals.sample(stream)).saturating_sub(1);
            *load += x as f64;
        }
    }
    total
}

/// A single server that finishes one job a step, to which `size` jobs come at once with probability
/// `rho` / `size`: the load of PI's server under whole batches, which come rarely and are large.
pub(crate) fn batches(stream: &mut Stream, size: usize, rho: f64, length: usize) -> Vec<f64> {
    let mut x = 0usize;
    let step = |_| {
        x += if stream.random_bool(rho / size as f64) {
            size
        } else {
            0
        };
        x = x.saturating_sub(1);
        x as f64
    };
    (0..length).map(step).collect()
}

/// The total load of PI's farm under `random`: each step a Poisson batch of mean `rho`·`servers`
/// goes whole to one of the servers, each of which finishes one job a step. What one server gets
/// the others do not, so their loads are not independent.
pub(crate) fn dispatched(stream: &mut Stream, servers: usize, rho: f64, length: usize) -> Vec<f64> {
    let arrivals = Poisson::new(rho * servers as f64);
    let mut queues = vec![0usize; servers];
    let step = |_| {
        queues[stream.random_range(0..servers)] += arrivals.sample(stream);
        for queue in &mut queues {
            *queue = queue.saturating_sub(1);
        }
        queues.iter().sum::<usize>() as f64
    };
    (0..length).map(step).collect()
}

/// At least this many of `runs` errors happen with probability below 10⁻⁴ if each run errs
/// independently with probability `rate`: the one in ten thousand is the error rate of a test
/// that asserts `errors` to be fewer.
pub(crate) fn implausible(rate: f64, runs: u64) -> u64 {
    crate::most_errors(runs, rate, 1e-4) + 1
}

/// The stationary mean of the queue after service, by Pollaczek and Khinchin: ρ²/(2(1 − ρ)).
#[test]
fn the_queue_is_the_textbook_one() {
    let load = queue(&mut TESTS.stream(QUEUE, 0, 20), 0.5, 1_000_000);
    let mean = load.iter().sum::<f64>() / load.len() as f64;
    // Standard error about 0.002 (variance 0.4, correlation time about 6 steps); five of them.
    assert!((mean - 0.25).abs() < 0.01, "{mean}");
}
