//! Jobs that arrive in a Poisson stream, whether or not the earlier ones are done. Nine tenths are
//! short; a hundredth is fifty times as long. The response time counts from the moment at which a
//! job should have arrived: no coordinated omission if a runtime delays the arrivals.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::TableGroup;
use crate::clock;
use crate::matrix::args::MatrixOptions;
use crate::matrix::rounds::{Experiment, MatrixRow, Unit};
use crate::runtimes::{Caller, Runtime};
use crate::sampling::quantile;
use crate::splitmix::SplitMix;

/// Lengths of jobs in microseconds, with the share of jobs that are no longer than that.
const LENGTHS_US: [(f64, f64); 3] = [(100.0, 0.90), (500.0, 0.99), (5000.0, 1.0)];

/// The mean of these lengths.
const MEAN_US: f64 = 0.90 * 100.0 + 0.09 * 500.0 + 0.01 * 5000.0;

/// Arrivals as a share of what the threads can do.
const LOADS: [u32; 3] = [50, 90, 99];

/// The reported quantiles of the response time.
const QUANTILES: [(f64, &str); 3] = [(0.5, "p50"), (0.99, "p99"), (0.999, "p99.9")];

/// A job to come.
#[derive(Clone, Copy, Debug)]
struct JobArrival {
    at: Duration,
    spins: u64,
}

/// The rows of this workload.
pub(crate) fn measure(options: &MatrixOptions) -> Vec<MatrixRow> {
    let cases = options
        .threads
        .iter()
        .flat_map(|threads| LOADS.map(|load| (*threads, load)));
    let rows = cases.flat_map(|(threads, load)| {
        let (group, caller) = (TableGroup::Jobs, Caller::Spawns);
        let experiment = Experiment::new(options, group, "open-loop", threads, caller);
        let arrivals = arrivals(options, threads, load);
        let ideal = ideal_responses_us(options, threads, &arrivals);
        let what = QUANTILES.map(|(q, name)| {
            let ideal_us = quantile(&ideal, q);
            format!("response at {load} % load, {name} (at best {ideal_us:.0})")
        });
        let rows = what.each_ref().map(|what| (&**what, Unit::Microseconds));
        experiment.rows(&rows, |runtime| {
            let mut responses = responses(runtime, &arrivals);
            responses.sort_by(f64::total_cmp);
            QUANTILES.map(|(q, _)| vec![quantile(&responses, q)]).into()
        })
    });
    rows.collect()
}

/// The same stream for every runtime and round.
fn arrivals(options: &MatrixOptions, threads: usize, load: u32) -> Vec<JobArrival> {
    let mut random = SplitMix(4);
    let gap_us = MEAN_US / (threads as f64 * f64::from(load) / 100.0);
    let end_us = options.scale.pick(500_000.0, 5_000_000.0);
    let mut now_us = 0.0;
    let next = || {
        now_us -= gap_us * (1.0 - random.unit()).ln();
        let u = random.unit();
        let (length_us, _) = LENGTHS_US.into_iter().find(|(_, share)| u < *share)?;
        let at = Duration::from_nanos((now_us * 1e3) as u64);
        (now_us < end_us).then(|| JobArrival {
            at,
            spins: options.spins(length_us),
        })
    };
    std::iter::from_fn(next).collect()
}

/// The sorted response times of a perfect first-come-first-served pool: a yardstick, not a bound
/// on every quantile, as another order may favour the short jobs.
fn ideal_responses_us(
    options: &MatrixOptions,
    threads: usize,
    arrivals: &[JobArrival],
) -> Vec<f64> {
    let mut free_at = vec![0.0_f64; threads];
    let response = |arrival: &JobArrival| {
        let at = arrival.at.as_nanos() as f64 / 1e3;
        let first = free_at
            .iter_mut()
            .min_by(|a, b| a.total_cmp(b))
            .expect("a thread");
        *first = first.max(at) + arrival.spins as f64 / options.spins_per_us;
        *first - at
    };
    let mut responses: Vec<f64> = arrivals.iter().map(response).collect();
    responses.sort_by(f64::total_cmp);
    responses
}

/// The response times of all jobs in nanoseconds.
fn responses(runtime: &Runtime, arrivals: &[JobArrival]) -> Vec<f64> {
    let ends: Arc<[AtomicU64]> = arrivals.iter().map(|_| AtomicU64::new(0)).collect();
    let begin = Instant::now();
    thread::scope(|s| {
        s.spawn(|| {
            clock::sleep_exactly();
            for (number, arrival) in arrivals.iter().enumerate() {
                clock::sleep_until(begin + arrival.at);
                let (ends, spins) = (Arc::clone(&ends), arrival.spins);
                runtime.spawn(move || {
                    std::hint::black_box(clock::spin(std::hint::black_box(spins)));
                    let end = begin.elapsed().as_nanos() as u64;
                    let before = ends[number].swap(end, Ordering::Relaxed);
                    assert_eq!(before, 0, "job {number} ran twice");
                });
            }
        });
    });
    let response = |(arrival, end): (&JobArrival, &AtomicU64)| {
        let end = loop {
            match end.load(Ordering::Relaxed) {
                0 => thread::sleep(Duration::from_millis(1)),
                end => break end,
            }
        };
        end as f64 - arrival.at.as_nanos() as f64
    };
    arrivals.iter().zip(&*ends).map(response).collect()
}
