//! The summary of many runs as a table.

use filch_experiments::dag::{KStrictBounds, Promised, StacksSummary, Summary};
use filch_report::number::decimals;
use filch_report::text_table::TextTable;
use filch_sim::machine::{PopTop, Scheduler};

use crate::output::{count, printable};

/// The measured totals beside the bounds.
pub(super) fn text(summary: &Summary) -> String {
    let Summary { time, bounds, .. } = summary;
    let scheduler = summary.machine.scheduler;
    let mut table = TextTable::new(["", "measured", "promised", ""]);
    let mut row = |name: &str, measured: String, promised: String, meaning: &str| {
        table.row([name.to_owned(), measured, promised, meaning.to_owned()]);
    };
    let none = String::new;
    let Promised { at_most, stated } = match &summary.k_strict {
        Some(_) => KStrictBounds::TIME,
        None => bounds.time_of(scheduler),
    };
    row(
        "time",
        mean(time.mean),
        at_most.map_or_else(none, mean),
        stated,
    );
    if summary.runs > 1 {
        let spread = format!("from {} to {}", time.min, time.max);
        row("", none(), none(), &spread);
    }
    row(
        "time, at least",
        none(),
        mean(bounds.lower_time),
        "max(T1/P, Tinf)",
    );
    row(
        "constant",
        format!("{:.3}", summary.least_constant),
        none(),
        "least c with time ≤ T1/P + c·Tinf in all runs",
    );
    if let Some(k_strict) = &summary.k_strict {
        row(
            &format!("constant, k = {}", k_strict.k),
            format!("{:.3}", k_strict.least_constant),
            none(),
            "least c with time ≤ T1/P + c·k·Tinf in all runs",
        );
    }
    let all: f64 = summary.processors as f64 * time.mean;
    for (name, dollars, promised) in buckets(summary) {
        let share = format!("{:.2} % of all dollars", 100.0 * dollars / all);
        row(name, mean(dollars), promised, &share);
    }
    if summary.victim.is_some() {
        row(
            "steals",
            mean(summary.steals),
            none(),
            "attempts that brought a thread",
        );
        if summary.stacks.is_none() {
            row(
                "communication",
                mean(summary.communication),
                bounds.communication.to_string(),
                "P·Tinf·(1 + nd)·Smax, up to a constant",
            );
        }
    }
    let Promised { at_most, stated } = match &summary.k_strict {
        Some(_) => KStrictBounds::SPACE,
        None => bounds.space_of(scheduler),
    };
    row(
        "peak space",
        summary.peak_space.to_string(),
        at_most.map_or_else(none, ToString::to_string),
        stated,
    );
    if let Some(stacks) = &summary.stacks {
        for [name, measured, promised, meaning] in stack_rows(summary, stacks) {
            table.row([name, measured, promised, meaning]);
        }
    }
    format!("{}\n\n{table}", heading(summary))
}

/// What became of stacks, workers and seats.
fn stack_rows(summary: &Summary, stacks: &StacksSummary) -> Vec<[String; 4]> {
    let Promised { at_most, stated } = summary.bounds.stack_of(summary.machine.scheduler);
    let promised = at_most.map_or_else(String::new, |depth| depth.to_string());
    let all = summary.processors as f64 * summary.time.mean;
    let of_time = |steps: f64| format!("{:.2}", 100.0 * steps / all);
    let plain = |name: &str, measured: String, meaning: &str| {
        [name, &measured, "", meaning].map(str::to_owned)
    };
    let mut rows = vec![
        [
            "deepest stack".to_owned(),
            stacks.deepest_stack.to_string(),
            promised,
            stated.to_owned(),
        ],
        plain(
            "workers",
            stacks.workers.to_string(),
            "stacks, that is threads of the operating system",
        ),
        plain(
            "hand-overs",
            mean(stacks.hand_overs),
            "a waiting worker gave its seat to a spare one",
        ),
        plain(
            "stranded",
            of_time(stacks.stranded),
            "% of processor time: waited with nothing below, tasks elsewhere",
        ),
        plain(
            "longest stranded",
            stacks.longest_stranded.to_string(),
            "steps of one seat",
        ),
    ];
    if stacks.seatless > 0.0 {
        let meaning = "% of processor time: a worker was ready and had no seat";
        rows.push(plain("seatless", of_time(stacks.seatless), meaning));
    }
    rows
}

/// A line that says what was run.
fn heading(summary: &Summary) -> String {
    let details = [
        summary.adversary.map(|name| format!("adversary {name}")),
        summary.order.map(|name| format!("{name} first")),
        summary.next.map(|name| format!("{name} first")),
        summary
            .pop_top
            .filter(|&name| name != PopTop::default().name())
            .map(|name| format!("popTop {name}")),
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
        Scheduler::Greedy | Scheduler::BusyLeaves | Scheduler::Sharing => {
            buckets.push(("idle", summary.idle_bucket, String::new()));
        }
        Scheduler::Stealing => {
            // BL99 names no constant for attempts. By its Lemma 6, M attempts wait for at most M
            // steps on average.
            buckets.push(("STEAL", summary.steal_bucket, String::new()));
            buckets.push(("WAIT", summary.wait_bucket, mean(summary.steal_bucket)));
        }
        Scheduler::VertexStealing => {
            let most = bounds.expected_steal_attempts.to_string();
            buckets.push(("STEAL", summary.steal_bucket, most));
        }
        Scheduler::ForkJoin(_) => {
            buckets.push(("STEAL", summary.steal_bucket, String::new()));
            buckets.push(("WAIT", summary.wait_bucket, String::new()));
            buckets.push(("idle", summary.idle_bucket, String::new()));
        }
    }
    buckets
}

/// Steps, dollars and bytes: means of whole numbers.
fn mean(value: f64) -> String {
    decimals(value, 1)
}
