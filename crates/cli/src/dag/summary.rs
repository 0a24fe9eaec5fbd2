//! The summary of many runs as a table.

use filch_experiments::dag::{Promised, Summary};
use filch_sim::machine::Scheduler;

use super::table::Table;
use crate::output::{count, printable};

/// The measured totals beside the bounds.
pub(super) fn text(summary: &Summary) -> String {
    let Summary { time, bounds, .. } = summary;
    let scheduler = summary.machine.scheduler;
    let mut table = Table::new(["", "measured", "promised", ""]);
    let mut row = |name: &str, measured: String, promised: String, meaning: &str| {
        table.row([name.to_owned(), measured, promised, meaning.to_owned()]);
    };
    let none = String::new;
    let Promised { at_most, stated } = bounds.time_of(scheduler);
    row(
        "time",
        short(time.mean),
        at_most.map_or_else(none, short),
        stated,
    );
    if summary.runs > 1 {
        let spread = format!("from {} to {}", time.min, time.max);
        row("", none(), none(), &spread);
    }
    row(
        "time, at least",
        none(),
        short(bounds.lower_time),
        "max(T1/P, Tinf)",
    );
    row(
        "constant",
        format!("{:.3}", summary.least_constant),
        none(),
        "least c with time ≤ T1/P + c·Tinf in all runs",
    );
    let all: f64 = summary.processors as f64 * time.mean;
    for (name, dollars, promised) in buckets(summary) {
        let share = format!("{:.2} % of all dollars", 100.0 * dollars / all);
        row(name, short(dollars), promised, &share);
    }
    if summary.victim.is_some() {
        row(
            "steals",
            short(summary.steals),
            none(),
            "attempts that brought a thread",
        );
        row(
            "communication",
            short(summary.communication),
            bounds.communication.to_string(),
            "P·Tinf·(1 + nd)·Smax, up to a constant",
        );
    }
    let Promised { at_most, stated } = bounds.space_of(scheduler);
    row(
        "peak space",
        summary.peak_space.to_string(),
        at_most.map_or_else(none, ToString::to_string),
        stated,
    );
    format!("{}\n\n{table}", heading(summary))
}

/// A line that says what was run.
fn heading(summary: &Summary) -> String {
    let details = [
        summary.adversary.map(|name| format!("adversary {name}")),
        summary.next.map(|name| format!("{name} first")),
        summary
            .victim
            .as_ref()
            .map(|name| format!("victims {name}")),
    ];
    let details: Vec<String> = details.into_iter().flatten().collect();
    let details = match &*details.join(", ") {
        "" => String::new(),
        details => format!(" ({details})"),
    };
    format!(
        "{} on {} by {}{details}, {}, seed {}{}",
        printable(&summary.computation),
        count(summary.processors as u64, "processor"),
        summary.scheduler,
        count(summary.runs as u64, "run"),
        summary.seed,
        if summary.checked {
            "; every step checked, no violation"
        } else {
            ""
        },
    )
}

/// The buckets: the name, the dollars in it, and the bound.
fn buckets(summary: &Summary) -> Vec<(&'static str, f64, String)> {
    let bounds = &summary.bounds;
    let mut buckets = vec![("WORK", summary.work_bucket, bounds.work.to_string())];
    match summary.machine.scheduler {
        Scheduler::Greedy | Scheduler::BusyLeaves => {
            buckets.push(("idle", summary.idle_bucket, String::new()));
        }
        Scheduler::Stealing => {
            // BL99 names no constant for attempts. By its Lemma 6, M attempts wait for at most M
            // steps on average.
            buckets.push(("STEAL", summary.steal_bucket, String::new()));
            buckets.push(("WAIT", summary.wait_bucket, short(summary.steal_bucket)));
        }
        Scheduler::VertexStealing => {
            let most = bounds.expected_steal_attempts.to_string();
            buckets.push(("STEAL", summary.steal_bucket, most));
        }
    }
    buckets
}

/// One digit after the point, unless it is 0.
fn short(value: f64) -> String {
    format!("{value:.1}").trim_end_matches(".0").to_owned()
}
