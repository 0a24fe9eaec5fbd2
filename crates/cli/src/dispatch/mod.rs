//! `filch dispatch`: policies in front of simulated servers.
//!
//! `filch_experiments` simulates and estimates. The results are printed as a table, JSON or CSV.

mod export;
pub(crate) mod json;
mod table;

use filch_experiments::dispatch::{Situation, SweepError};

use crate::args::{DispatchArgs, SweepPlan};
use crate::failure::Failure;
use crate::folder::Folder;
use crate::output;
use crate::progress::Bar;

pub(crate) fn run(options: &DispatchArgs) -> Result<(), Failure> {
    let plan = options.plan()?;
    options.threads.choose()?;
    let folder = options.csv.as_deref();
    let folder = folder
        .map(|path| Folder::try_out("--csv", path))
        .transpose()?;
    let situations = simulate(&plan)?;
    if let Some(folder) = folder {
        let files = export::files(&situations);
        let named: Vec<_> = files
            .iter()
            .map(|(name, content)| (*name, &**content))
            .collect();
        folder.keep(&named, &[])?;
    }
    if options.json {
        output::print_json(&json::document(&plan, &situations))
    } else {
        output::print_page(&table::page(&plan, &situations))
    }
}

fn simulate(plan: &SweepPlan) -> Result<Vec<Situation<'_>>, Failure> {
    let bar = Bar::of("filch dispatch".to_owned());
    let situations = plan.sweep().simulate(&bar);
    bar.finish();
    situations.map_err(refused)
}

pub(crate) fn refused(error: SweepError) -> Failure {
    match error {
        SweepError::Demand(_) => Failure::usage(error.to_string()),
        SweepError::Run(_) => Failure::run(error.to_string()),
    }
}

/// The arrivals as a user types them.
fn arrivals<P>(situation: &Situation<'_, P>) -> String {
    situation
        .demand
        .arrivals(&situation.farm.servers)
        .map_or_else(|error| error.to_string(), |arrivals| arrivals.to_string())
}
