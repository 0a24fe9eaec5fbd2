//! The results as a table.

use std::fmt::Write as _;

use filch_experiments::dispatch::{Demand, Estimates, Situation};
use filch_report::number::short;
use filch_report::text_table::{TextCell, TextTable};
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
    let mut table = TextTable::new(HEADER).right_from(1);
    for run in &situation.runs {
        table.row(row(&run.estimates));
    }
    let _ = write!(text, "{table}");
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
        let mut table = TextTable::untitled(3).right_from(1);
        for (other, means) in differences {
            let mark = if means.independent() { "" } else { "~" };
            table.row([
                format!("  {}", other.policy),
                short(means.estimate.mean),
                format!("± {mark}{}", short(means.estimate.half_width)),
            ]);
        }
        let _ = write!(text, "{table}");
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

fn row(run: &Estimates) -> [TextCell; 10] {
    let mark = if run.independent { "" } else { "~" };
    let half = |[low, high]: [f64; 2]| format!("{mark}{}", short((high - low) / 2.0));
    let times = run.completion.as_ref();
    let time = |p: f64| {
        let found = times.and_then(|times| times.quantile(p));
        found.map_or("–".to_owned(), |slots| slots.to_string())
    };
    [
        run.policy.to_string().into(),
        coloured(run.verdict),
        short(run.mean_queue).into(),
        run.interval.map_or("–".to_owned(), half).into(),
        short(run.messages_per_slot).into(),
        times
            .and_then(Histogram::mean)
            .map_or("–".to_owned(), short)
            .into(),
        time(0.5).into(),
        time(0.9).into(),
        time(0.99).into(),
        time(0.999).into(),
    ]
}
