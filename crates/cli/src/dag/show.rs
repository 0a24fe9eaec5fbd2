//! `filch dag show`: a schedule as a table like BL99's Figure 2, and as a picture.

use std::fs;

use filch_sim::machine::{Act, Outcome, Record, RecordedStep, Rule, Scheduler, WayBack};
use filch_theory::machine::lower;
use serde::Serialize;

use super::drawing;
use super::source::Loaded;
use super::table::Table;
use crate::args::DagShow;
use crate::failure::Failure;
use crate::output;

/// Steps times processors that can be looked at.
const MOST_CELLS: usize = 1_000_000;

#[derive(Serialize)]
struct Shown<'a> {
    computation: &'a str,
    scheduler: &'static str,
    seed: u64,
    time: u64,
    #[serde(flatten)]
    record: &'a Record,
}

pub(super) fn run(options: &DagShow) -> Result<(), Failure> {
    let loaded = Loaded::from(&options.source)?;
    let machine = &options.machine;
    loaded.check(machine.scheduler)?;
    if machine.scheduler == Scheduler::ForkJoin(Rule::HandOver(WayBack::Extra)) {
        return Err(Failure::usage(
            "hand-over-extra has more seats than processors, which cannot be shown: use hand-over",
        ));
    }
    let limit = (MOST_CELLS / machine.processors).max(1);
    let too_long = || {
        Failure::usage(format!(
            "{} takes more than {limit} steps on {} processors, too many to show: choose a smaller computation",
            loaded.name, machine.processors
        ))
    };
    // What is too long for any schedule need not be tried.
    if lower::time(&loaded.hypotheses(machine.processors)) > limit as f64 {
        return Err(too_long());
    }
    let recorded = machine.recorded(&loaded.computation, options.seed, 0, limit);
    let (outcome, record) = recorded.map_err(|_| too_long())?;
    if let Some(path) = &options.svg {
        let title = format!(
            "{} on {} processors by {}, seed {}",
            loaded.name, machine.processors, machine.scheduler, options.seed
        );
        fs::write(path, drawing::svg(&record, &title)).map_err(|error| {
            Failure::run(format!("--svg: cannot write {}: {error}", path.display()))
        })?;
    }
    if options.json {
        return output::print_json(&Shown {
            computation: &loaded.name,
            scheduler: machine.scheduler.name(),
            seed: options.seed.get(),
            time: outcome.time,
            record: &record,
        });
    }
    let head = format!(
        "{} on {} processors by {}, seed {}\n\n",
        loaded.name, machine.processors, machine.scheduler, options.seed
    );
    output::print(&(head + &text(&record, &outcome)))
}

/// A row for each step: the pool or the deques, then what every processor does.
fn text(record: &Record, outcome: &Outcome) -> String {
    let has_deques = record.steps.iter().any(|step| !step.deques.is_empty());
    let waiting = if has_deques { "stalled" } else { "pool" };
    let processors = (1..=record.processors).map(|number| format!("p{number}"));
    let mut table = Table::new(
        ["step".to_owned(), waiting.to_owned()]
            .into_iter()
            .chain(processors),
    );
    for (at, step) in record.steps.iter().enumerate() {
        let pool = step.pool.iter().map(|pooled| {
            let star = if pooled.ready { "*" } else { "" };
            format!("{}{star}", record.threads[pooled.thread].name)
        });
        let pool: Vec<_> = pool.collect();
        let cells = (0..record.processors).map(|processor| cell(record, step, processor));
        table.row(
            [(at + 1).to_string(), pool.join(" ")]
                .into_iter()
                .chain(cells),
        );
    }
    let legend = if has_deques {
        "thread instruction [deque, bottom first]; ?p2 asks p2, !p2 gets the top of p2's deque, … waits"
    } else {
        "* is ready; other threads in the pool are stalled"
    };
    format!(
        "{table}\n{legend}\ntime {}, peak space {}\n",
        outcome.time, outcome.peak_space
    )
}

fn cell(record: &Record, step: &RecordedStep, processor: usize) -> String {
    let name = |thread: usize| record.threads[thread].name.as_str();
    let mut cell = match &step.acts[processor] {
        Act::Work {
            thread,
            instruction,
            ..
        } => format!("{} {instruction}", name(*thread)),
        Act::Steal { victim } => format!("?p{}", victim + 1),
        Act::Wait => "…".to_owned(),
        Act::Idle => String::new(),
    };
    if let Some(deque) = step.deques.get(processor).filter(|deque| !deque.is_empty()) {
        let names: Vec<_> = deque.iter().map(|&thread| name(thread)).collect();
        cell.push_str(&format!(" [{}]", names.join(" ")));
    }
    let got = step
        .served
        .iter()
        .find(|served| served.thief == processor && served.thread.is_some());
    if let Some(served) = got {
        cell.push_str(&format!(" !p{}", served.victim + 1));
    }
    cell
}
