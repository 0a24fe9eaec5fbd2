use std::time::Duration;

use super::sample::{Fate, Sample};
use super::summary::Summary;

/// All requests of a run, in the order of their intended starts.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// The requests that were sent.
    pub samples: Vec<Sample>,
    /// When the machine stood still: from and to, counted from the start of the load.
    pub stalls: Vec<(Duration, Duration)>,
    /// When the load was given up because too many requests were open.
    pub gave_up: Option<Duration>,
}

impl Record {
    /// Requests are excluded in windows of this length.
    pub const WINDOW: Duration = Duration::from_millis(500);
    /// A stall also spoils requests that start this long before it, and those that meet the queues
    /// it leaves behind, for as long after it.
    pub const AROUND: Duration = Duration::from_secs(1);

    /// The summary of all requests that no stall has spoilt.
    pub fn summary(&self) -> Summary {
        self.summary_between(Duration::ZERO, Duration::MAX)
    }

    /// The summary of the requests that were to start from `from` on and before `to`. Requests of
    /// the warm-up find the servers idle, which is not what a stationary load meets.
    ///
    /// Whether a request is excluded depends on its intended start alone. If long requests were
    /// excluded more often than short ones, a stall would improve the tail.
    pub fn summary_between(&self, from: Duration, to: Duration) -> Summary {
        let mut latencies = Vec::new();
        let [mut failed, mut timed_out, mut unfinished, mut excluded] = [0; 4];
        let asked = |sample: &&Sample| sample.start >= from && sample.start < to;
        for sample in self.samples.iter().filter(asked) {
            match sample.fate {
                _ if self.is_spoilt(sample.start) => excluded += 1,
                Fate::Answered => latencies.push(sample.latency.as_secs_f64() * 1e3),
                Fate::Failed => failed += 1,
                Fate::TimedOut => timed_out += 1,
                Fate::Unfinished => unfinished += 1,
            }
        }
        Summary {
            failed,
            timed_out,
            unfinished,
            excluded,
            ..Summary::of(latencies)
        }
    }

    /// Whether there is a stall in the window of `start` or near it.
    fn is_spoilt(&self, start: Duration) -> bool {
        let window = start.as_nanos() / Self::WINDOW.as_nanos();
        let begins = Self::WINDOW * window as u32;
        let ends = begins + Self::WINDOW;
        let near = |&(from, to): &(Duration, Duration)| {
            from < ends + Self::AROUND && begins < to + Self::AROUND
        };
        self.stalls.iter().any(near)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(start: u64, latency: u64, fate: Fate) -> Sample {
        Sample {
            start: Duration::from_millis(start),
            entry: 0,
            latency: Duration::from_millis(latency),
            fate,
        }
    }

    #[test]
    fn quantiles_are_order_statistics() {
        let samples = (1..=1000).map(|n| sample(n, n, Fate::Answered)).collect();
        let record = Record {
            samples,
            ..Record::default()
        };
        let summary = record.summary();
        assert_eq!(
            (summary.answered, summary.mean, summary.max),
            (1000, 500.5, 1000.0)
        );
        assert_eq!(
            (summary.p50, summary.p99, summary.p999),
            (500.0, 990.0, 999.0)
        );
        let part = record.summary_between(Duration::from_millis(901), Duration::from_millis(1000));
        assert_eq!((part.answered, part.p50), (99, 950.0));
        assert_eq!(Record::default().summary(), Summary::default());
    }

    #[test]
    fn each_request_is_counted_once() {
        let fates = [
            Fate::Answered,
            Fate::Failed,
            Fate::TimedOut,
            Fate::Unfinished,
        ];
        let samples = (0..8)
            .map(|n| sample(n, 1, fates[n as usize % 4]))
            .collect();
        let summary = Record {
            samples,
            ..Record::default()
        }
        .summary();
        let counts = (summary.answered, summary.failed, summary.timed_out);
        assert_eq!((counts, summary.unfinished), ((2, 2, 2), 2));
    }

    /// A stall from 2.2 to 2.4 s spoils the windows that overlap 1.2 to 3.4 s, whatever the
    /// latencies.
    #[test]
    fn stalls_are_excluded_by_the_start_alone() {
        let samples = (0..50)
            .map(|n| sample(100 * n, 1 + 300 * (n % 2), Fate::Answered))
            .collect();
        let record = Record {
            samples,
            stalls: vec![(Duration::from_millis(2200), Duration::from_millis(2400))],
            ..Record::default()
        };
        let summary = record.summary();
        assert_eq!((summary.answered, summary.excluded), (25, 25));
        let left: Vec<_> = (0..50)
            .map(|n| Duration::from_millis(100 * n))
            .filter(|&start| !record.is_spoilt(start))
            .collect();
        assert_eq!(
            (left[9], left[10]),
            (Duration::from_millis(900), Duration::from_millis(3500))
        );
    }
}
