//! `filch dispatch`: policies in front of simulated servers.
//!
//! `filch_experiments` simulates and estimates. The results are printed as a table, JSON or CSV.

mod export;
mod json;
mod table;

use filch_experiments::dispatch::{Situation, Sweep, SweepError};

use crate::args::Dispatch;
use crate::failure::Failure;
use crate::folder::Folder;
use crate::output;
use crate::progress::Bar;

pub(crate) fn run(options: &Dispatch) -> Result<(), Failure> {
    let folder = options
        .csv
        .as_deref()
        .map(|path| Folder::try_out("--csv", path))
        .transpose()?;
    let situations = simulate(options)?;
    if let Some(folder) = folder {
        let files = export::files(&situations);
        let named: Vec<_> = files
            .iter()
            .map(|(name, content)| (*name, &**content))
            .collect();
        folder.keep(&named)?;
    }
    if options.json {
        output::print_json(&json::document(options, &situations))
    } else {
        output::print(&table::page(options, &situations))
    }
}

fn simulate(options: &Dispatch) -> Result<Vec<Situation<'_>>, Failure> {
    let sweep = Sweep {
        farms: &options.farms,
        demands: &options.demands,
        batches: &options.batches,
        policies: &options.policies,
        slots: options.slots,
        warm_up: options.warm_up,
        seed: options.seed,
    };
    let bar = Bar::of("filch dispatch".to_owned());
    let situations = sweep.simulate(&bar);
    bar.finish();
    situations.map_err(|error| match error {
        SweepError::Demand(_) => Failure::usage(error.to_string()),
        SweepError::Run(_) => Failure::run(error.to_string()),
    })
}

/// The arrivals as a user types them.
fn arrivals(situation: &Situation<'_>) -> String {
    situation
        .demand
        .arrivals(&situation.farm.servers)
        .map_or_else(|error| error.to_string(), |arrivals| arrivals.to_string())
}
