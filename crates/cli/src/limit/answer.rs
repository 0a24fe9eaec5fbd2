//! What `filch limit` prints.

use std::fmt::Write as _;

use filch_report::number::decimals;
use filch_report::text_table::TextTable;
use filch_theory::limit::{Flows, Limit};
use serde::Serialize;

/// Tails below this share are not printed.
const LEAST_TAIL: f64 = 1e-9;
/// The most tails for people to read.
const MOST_TAILS: usize = 24;

/// The answer as it is written to JSON.
#[derive(Debug, Serialize)]
pub(crate) struct Answer {
    model: String,
    lambda: f64,
    /// What the time is counted in.
    unit_of_time: &'static str,
    mean_load_per_processor: f64,
    /// How far the mean, and each tail, may be off.
    error: f64,
    mean_time_in_system: f64,
    /// The share of processors with i jobs or more, i from 0.
    tails: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    requests_per_step: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steals_per_step: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jobs_moved_per_step: Option<f64>,
}

impl Answer {
    pub(super) fn new(
        model: String,
        lambda: f64,
        unit_of_time: &'static str,
        limit: &Limit,
    ) -> Self {
        let tails = limit.tails().into_iter();
        Self {
            model,
            lambda,
            unit_of_time,
            mean_load_per_processor: limit.mean,
            error: limit.error,
            mean_time_in_system: limit.time_in_system(),
            tails: tails.take_while(|&tail| tail >= LEAST_TAIL).collect(),
            requests_per_step: None,
            steals_per_step: None,
            jobs_moved_per_step: None,
        }
    }

    /// The same with what is sent and moved for each processor.
    pub(super) fn with_flows(self, flows: Flows) -> Self {
        Self {
            requests_per_step: Some(flows.requests),
            steals_per_step: Some(flows.steals),
            jobs_moved_per_step: Some(flows.moved),
            ..self
        }
    }

    /// As people read it.
    pub(super) fn text(&self) -> String {
        let mut text = format!("{}, λ = {}, n → ∞\n\n", self.model, self.lambda);
        let mut table = TextTable::untitled(2).right_from(2);
        let mut line = |name: &str, value: String| table.row([name, &*value]);
        line(
            "mean load for each processor",
            decimals(self.mean_load_per_processor, 9),
        );
        line("  off by at most", format!("{:.1e}", self.error));
        let time = decimals(self.mean_time_in_system, 9);
        line(
            "mean time in the system",
            format!("{time} × {}", self.unit_of_time),
        );
        for (name, value) in [
            ("requests per processor and step", self.requests_per_step),
            ("steals per processor and step", self.steals_per_step),
            (
                "jobs moved per processor and step",
                self.jobs_moved_per_step,
            ),
        ] {
            if let Some(value) = value {
                line(name, decimals(value, 9));
            }
        }
        let _ = write!(text, "{table}");
        let mut tails = TextTable::new(["jobs", "share with as many or more"]).right_from(0);
        for (jobs, tail) in self.tails.iter().enumerate().take(MOST_TAILS) {
            tails.row([jobs.to_string(), format!("{tail:.9}")]);
        }
        let _ = write!(text, "\n{tails}");
        text
    }
}
