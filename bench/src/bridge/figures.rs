//! From samples to figures.

use std::time::Duration;

use crate::sampling::quantile;

/// The median, the 99th percentile and the largest of the samples, in microseconds.
pub(super) fn latency(samples: &[Duration]) -> [f64; 3] {
    let sorted = sorted_micros(samples);
    [0.5, 0.99, 1.0].map(|q| quantile(&sorted, q))
}

/// The same in microseconds, sorted. At least one.
pub(super) fn sorted_micros(samples: &[Duration]) -> Vec<f64> {
    let micros = samples.iter().map(|sample| sample.as_nanos() as f64 / 1e3);
    let mut sorted: Vec<f64> = micros.collect();
    sorted.sort_by(f64::total_cmp);
    assert!(!sorted.is_empty(), "nothing was measured");
    sorted
}

/// The median of some repetitions of `measure`, in whatever it returns.
pub(super) fn median_of(repetitions: usize, mut measure: impl FnMut() -> f64) -> f64 {
    median((0..repetitions).map(|_| measure()))
}

pub(super) fn median(samples: impl Iterator<Item = f64>) -> f64 {
    let mut samples: Vec<f64> = samples.collect();
    samples.sort_by(f64::total_cmp);
    quantile(&samples, 0.5)
}
