//! `filch dag kernel`: a computation on processes that a kernel schedules.

use std::fmt::Write as _;

use filch_experiments::dag::{KernelStudy, KernelSummary};
use filch_report::number::decimals;
use filch_report::text_table::TextTable;
use filch_sim::machine::multiprogrammed::Multiprogrammed;
use serde::Serialize;

use super::source::Loaded;
use crate::args::DagKernelArgs;
use crate::failure::Failure;
use crate::output::{self, count, printable};
use crate::progress::Bar;

#[derive(Serialize)]
struct Answer<'a> {
    computation: &'a str,
    work: u64,
    span: u64,
    #[serde(flatten)]
    summary: &'a KernelSummary,
}

pub(super) fn run(options: &DagKernelArgs) -> Result<(), Failure> {
    let loaded = Loaded::from(options.source.family, options.source.file.as_deref())?;
    if loaded.measures.most_edges_out > 2 {
        let name = printable(&loaded.name);
        return Err(Failure::usage(format!(
            "processes cannot run {name}: an instruction has more than two edges out: use \
             'filch dag run --scheduler greedy'"
        )));
    }
    options.threads.choose()?;
    let needed = KernelStudy::needed(&options.kernel);
    let study = KernelStudy {
        computation: &loaded.computation,
        measures: &loaded.measures,
        machine: Multiprogrammed {
            processes: options.processes.size(),
            yields: options.yields.unwrap_or(needed),
            most_steps: options.most_steps.get(),
        },
        kernel: options.kernel.clone(),
        runs: options.runs.size(),
        seed: options.simulation.seed,
    };
    let bar = Bar::of(format!("{} on a kernel", printable(&loaded.name)));
    let summary = study.run(&bar);
    bar.finish();
    if options.simulation.json {
        output::print_json(&Answer {
            computation: &loaded.name,
            work: loaded.measures.work,
            span: loaded.measures.span,
            summary: &summary,
        })
    } else {
        output::print(&text(&loaded, &summary))
    }
}

fn text(loaded: &Loaded, summary: &KernelSummary) -> String {
    let mut text = format!(
        "{} on {} by kernel {} ({}), yields {}, {}, seed {}\n\n",
        printable(&loaded.name),
        processes(summary.processes),
        summary.kernel,
        summary.adversary,
        summary.yields,
        count(summary.runs as u64, "run"),
        summary.seed,
    );
    let mut table = TextTable::untitled(3);
    let real = |value: Option<f64>, digits| {
        value.map_or("–".to_owned(), |value| decimals(value, digits))
    };
    let mut row = |name: &str, value: String, meaning: &str| {
        table.row([name.to_owned(), value, meaning.to_owned()]);
    };
    row("time", real(summary.time, 1), "steps, of runs that ended");
    row(
        "P_A",
        real(summary.average, 3),
        "processes in a step, on average",
    );
    row("time, at least", real(summary.lower, 1), "T1/P_A");
    row("attempts", real(summary.attempts, 1), "to steal");
    let stated = if summary.applies {
        "least c with time ≤ T1/P_A + c·Tinf·P/P_A in all runs, ABP01".to_owned()
    } else {
        format!(
            "the same; ABP01 promises nothing without yields {}",
            summary.needs
        )
    };
    row("constant", real(summary.least_constant, 3), &stated);
    if summary.given_up > 0 {
        let work = summary.work_given_up.unwrap_or(0);
        let meaning = format!(
            "runs, after {work} of {} instructions",
            loaded.measures.work
        );
        row("given up", summary.given_up.to_string(), &meaning);
    }
    let _ = write!(text, "{table}");
    text
}

fn processes(number: usize) -> String {
    match number {
        1 => "1 process".to_owned(),
        number => format!("{number} processes"),
    }
}
