//! `filch dag show`: a schedule as a table like BL99's Figure 2, and as a picture.

use filch_report::text_table::TextTable;
use filch_sim::machine::{Act, MachineOutcome, Record, RecordedStep, Rule, Scheduler, WayBack};
use filch_theory::machine::lower;
use serde::Serialize;

use super::drawing;
use super::source::Loaded;
use crate::args::DagShowArgs;
use crate::failure::Failure;
use crate::folder::OutputFile;
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

pub(super) fn run(options: &DagShowArgs) -> Result<(), Failure> {
    let svg = options.svg.as_deref();
    let svg = svg
        .map(|path| OutputFile::try_out("--svg", path))
        .transpose()?;
    let loaded = Loaded::from(options.source.family, options.source.file.as_deref())?;
    let machine = options.machine.machine();
    let seed = options.simulation.seed;
    loaded.check(machine.scheduler)?;
    if machine.scheduler == Scheduler::ForkJoin(Rule::HandOver(WayBack::Extra)) {
        return Err(Failure::usage(
            "hand-over-extra has more seats than processors, which cannot be shown: use hand-over",
        ));
    }
    if machine.processors > MOST_CELLS {
        return Err(Failure::usage(format!(
            "--processors: {} are too many to show: use at most {MOST_CELLS}",
            machine.processors
        )));
    }
    let limit = MOST_CELLS / machine.processors;
    let too_long = || {
        Failure::usage(format!(
            "{} takes more than {limit} steps on {}, too many to show: choose a smaller computation",
            output::printable(&loaded.name),
            output::count(machine.processors as u64, "processor")
        ))
    };
    // What is too long for any schedule need not be tried.
    if lower::time(&loaded.hypotheses(machine.processors)) > limit as f64 {
        return Err(too_long());
    }
    let recorded = machine.recorded(&loaded.computation, seed, 0, limit);
    let (outcome, record) = recorded.map_err(|_| too_long())?;
    let title = format!(
        "{} on {} by {}, seed {seed}",
        loaded.name,
        output::count(machine.processors as u64, "processor"),
        machine.scheduler
    );
    if let Some(file) = svg {
        file.write(&drawing::svg(&record, &title))?;
    }
    if options.simulation.json {
        return output::print_json(&Shown {
            computation: &loaded.name,
            scheduler: machine.scheduler.name(),
            seed: seed.get(),
            time: outcome.time,
            record: &record,
        });
    }
    let head = output::printable(&title);
    output::print(&format!("{head}\n\n{}", text(&record, &outcome)))
}

/// A row for each step: the pool or the deques, then what every processor does.
fn text(record: &Record, outcome: &MachineOutcome) -> String {
    let has_deques = record.steps.iter().any(|step| !step.deques.is_empty());
    let waiting = if has_deques { "stalled" } else { "pool" };
    let processors = (1..=record.processors).map(|number| format!("p{number}"));
    let mut table = TextTable::new(
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
