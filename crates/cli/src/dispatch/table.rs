//! The results as a table.

use std::fmt::Write as _;

use filch_experiments::dispatch::{Demand, Estimates, Situation};
use filch_stats::Histogram;

use super::arrivals;
use crate::args::SweepPlan;
use crate::output::{coloured, count, printable};

pub(super) fn page(plan: &SweepPlan, situations: &[Situation<'_>]) -> String {
    let mut text = String::new();
    for situation in situations {
        write_situation(&mut text, situation);
    }
    let _ = writeln!(
        text,
        "{}, seed {}",
        count(plan.slots.into(), "slot"),
        plan.seed
    );
    if situations
        .iter()
        .flat_map(|situation| &situation.runs)
        .any(|run| !run.estimates.independent)
    {
        text.push_str(
            "~ the interval is too narrow: its batches depend on one another, run longer\n",
        );
    }
    text
}

fn write_situation(text: &mut String, situation: &Situation<'_>) {
    let servers = &situation.farm.servers;
    let demand = match situation.demand {
        Demand::Load(load) => format!("load {load}, {}", arrivals(situation)),
        Demand::Arrivals(arrivals) => arrivals.to_string(),
    };
    let _ = writeln!(
        text,
        "{} ({}): {}, batches {}\n",
        printable(&situation.farm.name),
        count(servers.count() as u64, "server"),
        printable(&demand),
        situation.batches
    );
    let mut rows = vec![HEADER.map(str::to_owned)];
    rows.extend(situation.runs.iter().map(|run| row(&run.estimates)));
    let verdicts: Vec<_> = situation
        .runs
        .iter()
        .map(|run| run.estimates.verdict)
        .collect();
    // Below the heading, the second column shows the verdict.
    write_aligned(text, &rows, |row, column, cell| match row.checked_sub(1) {
        Some(run) if column == 1 => coloured(verdicts[run], &cell),
        _ => cell,
    });
    text.push('\n');
    let Some((first, others)) = situation.runs.split_first() else {
        return;
    };
    let mut differences = others
        .iter()
        .filter_map(|other| Some((&other.estimates, other.estimates.minus(&first.estimates)?)))
        .peekable();
    if differences.peek().is_some() {
        let _ = writeln!(
            text,
            "Mean queue less that of {}, on the same arrivals and capacities:",
            first.estimates.policy
        );
        let rows: Vec<_> = differences
            .map(|(other, means)| {
                let mark = if means.independent() { "" } else { "~" };
                [
                    format!("  {}", other.policy),
                    short(means.estimate.mean),
                    format!("± {mark}{}", short(means.estimate.half_width)),
                ]
            })
            .collect();
        write_aligned(text, &rows, |_, _, cell| cell);
        text.push('\n');
    }
}

const HEADER: [&str; 10] = [
    "policy",
    "verdict",
    "mean queue",
    "± 95 %",
    "messages",
    "JCT mean",
    "p50",
    "p90",
    "p99",
    "p99.9",
];

fn row(run: &Estimates) -> [String; 10] {
    let mark = if run.independent { "" } else { "~" };
    let half = |[low, high]: [f64; 2]| format!("{mark}{}", short((high - low) / 2.0));
    let times = run.completion.as_ref();
    let time = |p: f64| {
        let found = times.and_then(|times| times.quantile(p));
        found.map_or("–".to_owned(), |slots| slots.to_string())
    };
    [
        run.policy.to_string(),
        run.verdict.to_string(),
        short(run.mean_queue),
        run.interval.map_or("–".to_owned(), half),
        short(run.messages_per_slot),
        times
            .and_then(Histogram::mean)
            .map_or("–".to_owned(), short),
        time(0.5),
        time(0.9),
        time(0.99),
        time(0.999),
    ]
}

/// Four digits, or all before the point.
fn short(number: f64) -> String {
    let digits = (number.abs().max(1.0).log10() as usize) + 1;
    format!("{number:.*}", 4usize.saturating_sub(digits))
}

/// Columns of equal width: the first to the left, the others to the right. `paint` may colour a
/// cell, which it is told with its row and column.
fn write_aligned<const N: usize>(
    text: &mut String,
    rows: &[[String; N]],
    paint: impl Fn(usize, usize, String) -> String,
) {
    let width = |column: usize| {
        let widths = rows.iter().map(|row| row[column].chars().count());
        widths.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..N).map(width).collect();
    for (at, row) in rows.iter().enumerate() {
        let mut line = format!("{:<1$}", row[0], widths[0]);
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate().skip(1) {
            let _ = write!(line, "  {}", paint(at, column, format!("{cell:>width$}")));
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (number, text) in [
            (0.0, "0.000"),
            (0.98765, "0.988"),
            (12.3456, "12.35"),
            (-123.456, "-123.5"),
            (1234.56, "1235"),
            (1e7, "10000000"),
        ] {
            assert_eq!(short(number), text);
        }
    }

    #[test]
    fn columns_are_aligned() {
        let mut text = String::new();
        let row = |a: &str, b: &str| [a.to_owned(), b.to_owned()];
        let rows = [row("policy", "± 1"), row("x", "100")];
        write_aligned(&mut text, &rows, |_, _, cell| cell);
        assert_eq!(text, "policy  ± 1\nx       100\n");
    }
}
