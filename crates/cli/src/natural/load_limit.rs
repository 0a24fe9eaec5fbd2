//! What `filch natural --limit` puts beside the simulation.

use std::fmt;

use filch_experiments::natural::Process;
use filch_report::number::decimals;
use filch_theory::limit::{NaturalLimit, solve};
use filch_workload::Placement;
use serde::Serialize;

/// The load of each of very many processors with generators `uniform`.
#[derive(Debug, Serialize)]
pub(super) struct LoadLimit {
    /// Whether the process has this limit: its generators are placed `uniform`.
    applies: bool,
    /// Missing if λ = 1: there is no stationary state.
    mean_load_per_processor: Option<f64>,
    /// How far the mean may be off.
    error: Option<f64>,
    requests_per_step: Option<f64>,
    jobs_moved_per_step: Option<f64>,
    /// The placement of the process, for the label.
    #[serde(skip)]
    placement: String,
}

impl LoadLimit {
    pub(super) fn of(process: &Process) -> Self {
        let model = NaturalLimit::new(process.lambda.get(), process.steal);
        let limit = solve(&model).ok();
        let flows = limit.as_ref().map(|limit| model.flows(&limit.shares));
        Self {
            applies: process.placement == Placement::Uniform,
            mean_load_per_processor: limit.as_ref().map(|limit| limit.mean),
            error: limit.as_ref().map(|limit| limit.error),
            requests_per_step: flows.map(|flows| flows.requests),
            jobs_moved_per_step: flows.map(|flows| flows.moved),
            placement: process.placement.to_string(),
        }
    }
}

impl fmt::Display for LoadLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(mean), Some(error)) = (self.mean_load_per_processor, self.error) else {
            return f.write_str("no stationary state");
        };
        write!(f, "{}  (to within {error:.1e})", decimals(mean, 4))?;
        if !self.applies {
            let placement = &self.placement;
            write!(
                f,
                ", of generators uniform: {placement} does not come to it"
            )?;
        }
        Ok(())
    }
}
