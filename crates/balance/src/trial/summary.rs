/// What a record comes to. Latencies are in milliseconds and those of answered requests.
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
    /// The mean latency.
    pub mean: f64,
    /// The median latency.
    pub p50: f64,
    /// The latency that 99 of 100 requests do not exceed.
    pub p99: f64,
    /// The latency that 999 of 1,000 requests do not exceed.
    pub p999: f64,
    /// The longest latency.
    pub max: f64,
}

impl Summary {
    /// The summary of answered requests with these latencies in milliseconds.
    pub fn of(mut latencies: Vec<f64>) -> Self {
        if latencies.is_empty() {
            return Self::default();
        }
        latencies.sort_by(f64::total_cmp);
        let quantile = |q: f64| {
            let rank = (q * latencies.len() as f64).ceil() as usize;
            latencies[rank.max(1) - 1]
        };
        Self {
            answered: latencies.len(),
            mean: latencies.iter().sum::<f64>() / latencies.len() as f64,
            p50: quantile(0.5),
            p99: quantile(0.99),
            p999: quantile(0.999),
            max: quantile(1.0),
            ..Self::default()
        }
    }
}
