//! Latencies, in buckets that Prometheus adds up.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The upper ends of the buckets in milliseconds; the last bucket has none.
const ENDS: [u64; 16] = [
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000,
];

/// How often latencies fell into each bucket.
#[derive(Debug, Default)]
pub(crate) struct Histogram {
    buckets: [AtomicU64; ENDS.len() + 1],
    microseconds: AtomicU64,
}

impl Histogram {
    pub(crate) fn record(&self, took: Duration) {
        let bucket = ENDS.partition_point(|end| Duration::from_millis(*end) < took);
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        let microseconds = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.microseconds.fetch_add(microseconds, Ordering::Relaxed);
    }

    /// The lines of the histogram `name` with these labels, the comma after them included.
    pub(crate) fn write(&self, name: &str, labels: &str, out: &mut String) {
        use std::fmt::Write as _;
        let mut count = 0;
        for (place, bucket) in self.buckets.iter().enumerate() {
            count += bucket.load(Ordering::Relaxed);
            let end = ENDS
                .get(place)
                .map_or("+Inf".to_owned(), |end| (*end as f64 / 1e3).to_string());
            let _ = writeln!(out, "{name}_bucket{{{labels}le=\"{end}\"}} {count}");
        }
        let labels = labels.trim_end_matches(',');
        let seconds = self.microseconds.load(Ordering::Relaxed) as f64 / 1e6;
        let _ = writeln!(out, "{name}_sum{{{labels}}} {seconds}");
        let _ = writeln!(out, "{name}_count{{{labels}}} {count}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_include_their_ends_and_add_up() {
        let histogram = Histogram::default();
        for milliseconds in [1, 2, 100, 101, 1_000_000] {
            histogram.record(Duration::from_millis(milliseconds));
        }
        let mut text = String::new();
        histogram.write("x", "a=\"b\",", &mut text);
        for line in [
            "x_bucket{a=\"b\",le=\"0.001\"} 1",
            "x_bucket{a=\"b\",le=\"0.002\"} 2",
            "x_bucket{a=\"b\",le=\"0.05\"} 2",
            "x_bucket{a=\"b\",le=\"0.1\"} 3",
            "x_bucket{a=\"b\",le=\"0.2\"} 4",
            "x_bucket{a=\"b\",le=\"100\"} 4",
            "x_bucket{a=\"b\",le=\"+Inf\"} 5",
            "x_sum{a=\"b\"} 1000.204",
            "x_count{a=\"b\"} 5",
        ] {
            assert!(
                text.lines().any(|written| written == line),
                "{line}\n{text}"
            );
        }
    }
}
