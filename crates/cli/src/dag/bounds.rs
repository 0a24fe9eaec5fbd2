//! The bounds as a table.

use filch_experiments::dag::DagBounds;

use super::table::Table;
use crate::output::count;

/// All bounds as a table.
pub(crate) fn text(bounds: &DagBounds) -> String {
    let mut table = Table::new(["bound", "value", "stated in"]);
    let mut row = |what: String, value: String, stated: &str| {
        table.row([what, value, stated.to_owned()]);
    };
    let real = |value: f64| format!("{value:.1}");
    let rare = bounds.epsilon;
    row(
        "time, at least".into(),
        real(bounds.lower_time),
        "BL99 section 2",
    );
    row(
        "time, greedy".into(),
        real(bounds.greedy_time),
        "BL99 Theorem 1",
    );
    row(
        "time, busy leaves".into(),
        real(bounds.busy_leaves_time),
        "BL99 Theorem 3",
    );
    row(
        "space, busy leaves and stealing".into(),
        bounds.space.to_string(),
        "BL99 Theorems 3 and 5",
    );
    row(
        "successful phases, fewer than".into(),
        bounds.successful_phases.to_string(),
        "ABP01, proof of the run-time bound",
    );
    row(
        "phases, expected".into(),
        bounds.expected_phases.to_string(),
        "ABP01, run-time bound",
    );
    row(
        "steal attempts, expected".into(),
        bounds.expected_steal_attempts.to_string(),
        "ABP01, run-time bound",
    );
    row(
        "time, vertex stealing, expected".into(),
        real(bounds.expected_time),
        "ABP01, run-time bound",
    );
    row(
        format!("phases, but for {rare}"),
        real(bounds.likely_phases),
        "ABP01, run-time bound",
    );
    row(
        format!("steal attempts, but for {rare}"),
        real(bounds.likely_steal_attempts),
        "ABP01, run-time bound",
    );
    row(
        format!("time, vertex stealing, but for {rare}"),
        real(bounds.likely_time),
        "ABP01, run-time bound",
    );
    row(
        "communication, up to a constant".into(),
        bounds.communication.to_string(),
        "BL99 section 6",
    );
    format!(
        "work {}, span {}, stack depth {} on {}\n\n{table}",
        bounds.work,
        bounds.span,
        bounds.stack_depth,
        count(bounds.processors, "processor")
    )
}
