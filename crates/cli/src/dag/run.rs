//! `filch dag run`: a computation on simulated processors, once or many times.

use filch_experiments::dag::bytes_of_a_run;

use super::source::Loaded;
use super::summary;
use crate::args::DagRunArgs;
use crate::asked::AskedDag;
use crate::failure::Failure;
use crate::progress::Bar;
use crate::{memory, output};

pub(super) fn run(options: &DagRunArgs) -> Result<(), Failure> {
    let asked = AskedDag::of(options)?;
    options.threads.choose()?;
    let executions = asked.executions();
    let name = output::printable(asked.name());
    let bar = Bar::of(format!("{name} by {}", executions.machine.scheduler));
    let outcomes = executions.outcomes(&bar);
    bar.finish();
    let outcomes = outcomes.map_err(|broken| Failure::run(broken.to_string()))?;
    let summary = executions.summary(asked.name(), &outcomes);
    if options.simulation.json {
        output::print_json(&summary)
    } else {
        output::print(&summary::text(&summary))
    }
}

/// Refuses what certainly does not fit into memory.
pub(crate) fn check_memory(options: &DagRunArgs, loaded: &Loaded) -> Result<(), Failure> {
    let machine = options.machine.machine();
    let runs = if machine.is_random() {
        options.runs.get()
    } else {
        1
    };
    let at_once = runs.min(options.threads.get().get() as u64);
    let each = bytes_of_a_run(&machine, &loaded.measures);
    let instead = "use fewer processors, or fewer --threads";
    memory::check(each.saturating_mul(at_once), instead)
}
