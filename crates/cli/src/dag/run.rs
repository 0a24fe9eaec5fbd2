//! `filch dag run`: a computation on simulated processors, once or many times.

use filch_experiments::dag::Executions;

use super::source::Loaded;
use super::summary;
use crate::args::DagRun;
use crate::failure::Failure;
use crate::output;
use crate::progress::Bar;

pub(super) fn run(options: &DagRun) -> Result<(), Failure> {
    let loaded = Loaded::from(&options.source)?;
    loaded.check(options.machine.scheduler)?;
    let executions = Executions {
        computation: &loaded.computation,
        measures: &loaded.measures,
        machine: options.machine,
        runs: options.runs,
        check: options.check,
        seed: options.seed,
    };
    let bar = Bar::of(format!("{} by {}", loaded.name, options.machine.scheduler));
    let outcomes = executions.outcomes(&bar);
    bar.finish();
    let outcomes = outcomes.map_err(|broken| Failure::run(broken.to_string()))?;
    let summary = executions.summary(&loaded.name, &outcomes);
    if options.json {
        output::print_json(&summary)
    } else {
        output::print(&summary::text(&summary))
    }
}
