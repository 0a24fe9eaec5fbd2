use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The upper bounds of the buckets in milliseconds; the last bucket has none.
const BOUNDS: [u64; 16] = [
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000,
];

/// How many latencies fell into each bucket.
#[derive(Debug, Default)]
pub(crate) struct LatencyHistogram {
    buckets: [AtomicU64; BOUNDS.len() + 1],
    microseconds: AtomicU64,
}

impl LatencyHistogram {
    pub(crate) fn record(&self, took: Duration) {
        let bucket = BOUNDS.partition_point(|bound| Duration::from_millis(*bound) < took);
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        let microseconds = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.microseconds.fetch_add(microseconds, Ordering::Relaxed);
    }

    /// For each bucket its upper bound in seconds and how many latencies do not exceed it.
    pub(super) fn cumulative(&self) -> impl Iterator<Item = (f64, u64)> {
        let bounds = BOUNDS.iter().map(|bound| *bound as f64 / 1e3);
        let counts = self.buckets.iter().scan(0, |count, bucket| {
            *count += bucket.load(Ordering::Relaxed);
            Some(*count)
        });
        bounds.chain([f64::INFINITY]).zip(counts)
    }

    /// The sum of all latencies in seconds.
    pub(super) fn sum(&self) -> f64 {
        self.microseconds.load(Ordering::Relaxed) as f64 / 1e6
    }
}
