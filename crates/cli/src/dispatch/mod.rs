//! `filch dispatch`: policies in front of simulated servers.
//!
//! Everything is simulated on the same random numbers ([`together`]), estimated ([`measured`]), and
//! then printed: as a table, as JSON, as CSV.

mod export;
mod json;
pub(crate) mod measured;
mod table;
pub(crate) mod together;

use filch_sim::farm::{Batches, Length, Outcome, Run, Servers};

use crate::args::{Demand, Dispatch, Farm};
use crate::failure::Failure;
use crate::folder::Folder;
use crate::output;
use crate::progress::Progress;
use measured::Measured;
use together::Job;

/// One farm under one demand, with every policy.
struct Situation<'a> {
    farm: &'a Farm,
    demand: &'a Demand,
    batches: Batches,
    policies: Vec<(Outcome, Measured)>,
}

impl Situation<'_> {
    /// What is asked of the servers as a part of what they can do.
    fn load(&self) -> Option<f64> {
        match self.demand {
            Demand::Load(load) => Some(load.get()),
            Demand::Arrivals(_) => None,
        }
    }

    /// What arrives, as it is typed.
    fn arrivals(&self, servers: &Servers) -> String {
        self.demand
            .arrivals(servers)
            .map_or_else(|error| error, |arrivals| arrivals.to_string())
    }
}

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
    let mut situations = Vec::new();
    let mut jobs = Vec::new();
    for farm in &options.farms {
        for demand in &options.demands {
            let arrivals = demand.arrivals(&farm.servers).map_err(Failure::usage)?;
            for &batches in &options.batches {
                jobs.extend(options.policies.iter().map(|&policy| Job {
                    servers: &farm.servers,
                    run: Run::of(policy, batches, arrivals.clone()),
                }));
                situations.push(Situation {
                    farm,
                    demand,
                    batches,
                    policies: Vec::new(),
                });
            }
        }
    }
    let length = Length {
        warm_up: options.warm_up.unwrap_or(0),
        ..Length::of(options.slots)
    };
    let progress = Progress::of("filch dispatch".to_owned());
    let outcomes = together::simulate(&jobs, length, options.seed, &progress);
    progress.finish();
    let mut outcomes = outcomes
        .map_err(|error| Failure::run(error.to_string()))?
        .into_iter();
    for situation in &mut situations {
        let outcomes = outcomes.by_ref().take(options.policies.len());
        situation.policies = outcomes
            .map(|outcome| {
                let measured = Measured::of(&outcome, options.warm_up);
                (outcome, measured)
            })
            .collect();
    }
    Ok(situations)
}
