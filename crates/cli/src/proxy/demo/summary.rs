use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use filch_balance::trial;
use filch_report::text_table::TextTable;
use serde::Serialize;

use super::growth;
use super::live::{Lane, lock};
use crate::args::DemoArgs;
use crate::output::count;

/// What the demo has shown.
#[derive(Debug, Serialize)]
pub(super) struct DemoSummary {
    load: f64,
    dispatchers: usize,
    seconds: u64,
    seed: u64,
    /// Whether the user ended it before its time.
    interrupted: bool,
    policies: Vec<PolicySummary>,
}

/// What a policy has shown; latencies in milliseconds.
#[derive(Debug, Serialize)]
struct PolicySummary {
    policy: String,
    answered: usize,
    failed: usize,
    unfinished: usize,
    /// Requests that do not count because the whole machine stood still around their start.
    excluded: usize,
    mean_ms: f64,
    p50_ms: f64,
    p99_ms: f64,
    p999_ms: f64,
    max_ms: f64,
    /// When too many requests waited and the load was taken off.
    gave_up_after_seconds: Option<f64>,
    /// Whether the number of open requests grew without bound until then.
    diverged: bool,
}

impl DemoSummary {
    pub(super) fn of(options: &DemoArgs, interrupted: bool, lanes: &[Arc<Mutex<Lane>>]) -> Self {
        let rows = lanes.iter().map(|lane| {
            let lane = lock(lane);
            let trial::Summary {
                answered,
                failed,
                timed_out,
                unfinished,
                excluded,
                mean,
                p50,
                p99,
                p999,
                max,
            } = lane.record.summary();
            PolicySummary {
                policy: lane.policy.to_string(),
                answered,
                failed: failed + timed_out,
                unfinished,
                excluded,
                mean_ms: mean,
                p50_ms: p50,
                p99_ms: p99,
                p999_ms: p999,
                max_ms: max,
                gave_up_after_seconds: lane.record.gave_up.map(|at| at.as_secs_f64()),
                diverged: growth::is_shown(&lane.record),
            }
        });
        Self {
            load: options.load(),
            dispatchers: options.dispatchers(),
            seconds: options.length().as_secs(),
            seed: options.simulation.seed.get(),
            interrupted,
            policies: rows.collect(),
        }
    }

    pub(super) fn table(&self) -> String {
        let mut table = TextTable::new([
            "policy", "answered", "failed", "mean ms", "p50", "p99", "p99.9", "",
        ]);
        for row in &self.policies {
            let millis = |value: f64| format!("{value:.1}");
            let why = if row.diverged {
                "queues grew for ever"
            } else {
                "too many requests at once"
            };
            let gave_up = row
                .gave_up_after_seconds
                .map(|seconds| format!("{why}: given up after {seconds:.0} s"));
            table.row([
                row.policy.clone(),
                row.answered.to_string(),
                row.failed.to_string(),
                millis(row.mean_ms),
                millis(row.p50_ms),
                millis(row.p99_ms),
                millis(row.p999_ms),
                gave_up.unwrap_or_default(),
            ]);
        }
        let mut text = table.to_string();
        let _ = write!(
            text,
            "\n{} in front of 10 servers (5 of mean 100 ms, 5 of 10 ms, one request at a time), load {:.0} %",
            count(self.dispatchers as u64, "dispatcher"),
            100.0 * self.load
        );
        let end = if self.interrupted {
            ", ended early"
        } else {
            ""
        };
        let _ = writeln!(text, " for {} s{end}; seed {}", self.seconds, self.seed);
        text
    }
}
