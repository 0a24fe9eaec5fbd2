use filch_balance::trial::Summary;
use serde::Serialize;

/// Latencies in milliseconds, boiled down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Figures {
    pub(crate) mean: f64,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) p999: f64,
    /// Whether the requests became too many: the figures then tell when the run was given up, and nothing
    /// about the policy.
    pub(crate) diverged: bool,
}

impl Figures {
    /// What was measured.
    pub(crate) fn measured(summary: &Summary, diverged: bool) -> Self {
        Self {
            mean: summary.mean,
            p50: summary.p50,
            p99: summary.p99,
            p999: summary.p999,
            diverged,
        }
    }

    /// What was simulated.
    pub(crate) fn simulated(mut latencies: Vec<f64>, diverged: bool) -> Self {
        if latencies.is_empty() {
            return Self {
                diverged,
                ..Self::default()
            };
        }
        latencies.sort_by(f64::total_cmp);
        let quantile = |q: f64| {
            let rank = (q * latencies.len() as f64).ceil() as usize;
            latencies[rank.max(1) - 1]
        };
        Self {
            mean: latencies.iter().sum::<f64>() / latencies.len() as f64,
            p50: quantile(0.5),
            p99: quantile(0.99),
            p999: quantile(0.999),
            diverged,
        }
    }

    /// Mean and p99, as in the table of the documentation.
    pub(crate) fn short(&self) -> String {
        if self.diverged {
            "diverges".into()
        } else {
            format!("{} / {}", plain(self.mean), plain(self.p99))
        }
    }
}

/// A number of milliseconds with about three digits.
pub(crate) fn plain(millis: f64) -> String {
    if millis < 100.0 {
        format!("{millis:.1}")
    } else {
        format!("{millis:.0}")
    }
}
