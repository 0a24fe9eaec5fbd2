use std::time::Duration;

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// A good answer came.
    Answered,
    /// A bad one, or the connection broke.
    Failed,
    /// No answer came in time.
    TimedOut,
    /// The run ended first.
    Unfinished,
}

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// When it was to start, counted from the start of the load.
    pub start: Duration,
    /// The dispatcher by which it entered.
    pub entry: usize,
    /// From the intended start to the end.
    pub latency: Duration,
    /// How it ended.
    pub fate: Fate,
}

/// All requests of a run, in the order of their intended starts.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// The requests that were sent.
    pub samples: Vec<Sample>,
    /// When the machine stood still: from and to, counted from the start of the load.
    pub stalls: Vec<(Duration, Duration)>,
    /// When too many requests were open and the load gave up.
    pub gave_up: Option<Duration>,
}

/// What a record comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    /// Requests that got a good answer and count.
    pub answered: usize,
    /// Bad answers and broken connections.
    pub failed: usize,
    /// Requests without an answer in time.
    pub timed_out: usize,
    /// Requests that were open when the run ended.
    pub unfinished: usize,
    /// Requests left out because the machine stalled around their start.
    pub excluded: usize,
    /// The mean latency of the answered ones, in milliseconds as all that follow.
    pub mean: f64,
    /// Half were faster.
    pub p50: f64,
    /// 99 of 100 were faster.
    pub p99: f64,
    /// 999 of 1,000 were faster.
    pub p999: f64,
    /// The slowest.
    pub max: f64,
}

impl Record {
    /// Requests are excluded in windows of this length.
    pub const WINDOW: Duration = Duration::from_millis(500);
    /// A stall also spoils what started so long before it and what meets the queues that it left behind.
    pub const AROUND: Duration = Duration::from_secs(1);

    /// The summary of everything that no stall spoilt.
    pub fn summary(&self) -> Summary {
        self.summary_between(Duration::ZERO, Duration::MAX)
    }

    /// The summary of the requests that were to start from `from` on and before `to`: what is earlier found the
    /// servers idle, and is not what a stationary load meets.
    ///
    /// A request is left out by its intended start alone, whatever it met: if long requests were left out more
    /// often than short ones, a stall would improve the tail.
    pub fn summary_between(&self, from: Duration, to: Duration) -> Summary {
        let mut summary = Summary::default();
        let mut latencies = Vec::new();
        let asked = |sample: &&Sample| sample.start >= from && sample.start < to;
        for sample in self.samples.iter().filter(asked) {
            if self.is_spoilt(sample.start) {
                summary.excluded += 1;
                continue;
            }
            match sample.fate {
                Fate::Answered => latencies.push(sample.latency.as_secs_f64() * 1e3),
                Fate::Failed => summary.failed += 1,
                Fate::TimedOut => summary.timed_out += 1,
                Fate::Unfinished => summary.unfinished += 1,
            }
        }
        latencies.sort_by(f64::total_cmp);
        let quantile = |q: f64| {
            let rank = (q * latencies.len() as f64).ceil() as usize;
            latencies
                .get(rank.saturating_sub(1))
                .copied()
                .unwrap_or_default()
        };
        Summary {
            answered: latencies.len(),
            mean: latencies.iter().sum::<f64>() / latencies.len().max(1) as f64,
            p50: quantile(0.5),
            p99: quantile(0.99),
            p999: quantile(0.999),
            max: quantile(1.0),
            ..summary
        }
    }

    /// Whether the window of `start` has a stall in it or near it.
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

    /// A stall from 2.2 to 2.4 s spoils the windows that reach into 1.2 to 3.4 s, whatever the latencies.
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
