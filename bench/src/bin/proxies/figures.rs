use filch_balance::trial::Summary;
use filch_report::number::measured;
use serde::Serialize;

/// Latencies in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Figures {
    pub(crate) mean: f64,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) p999: f64,
    /// Whether the queues grew too long. The latencies then depend on when the run was given up,
    /// and say nothing about the policy.
    pub(crate) diverged: bool,
}

impl Figures {
    pub(crate) fn new(summary: &Summary, diverged: bool) -> Self {
        Self {
            mean: summary.mean,
            p50: summary.p50,
            p99: summary.p99,
            p999: summary.p999,
            diverged,
        }
    }

    /// Mean and p99, as in the tables of docs/proxies.md.
    pub(crate) fn short(&self) -> String {
        if self.diverged {
            "diverges".into()
        } else {
            format!("{} / {}", measured(self.mean), measured(self.p99))
        }
    }
}
