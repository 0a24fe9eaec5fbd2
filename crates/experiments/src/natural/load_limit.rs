//! The limit of very many processors, beside a process.

use filch_theory::limit::{NaturalLimit, NoLimit, solve};
use filch_workload::Placement;
use serde::{Serialize, Serializer};

use super::process::Process;

/// The load of each of very many processors with generators `uniform`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LoadLimit {
    /// Whether the process has this limit: its generators are placed `uniform`.
    pub applies: bool,
    /// Why there are no numbers: λ = 1, or so close to 1 that they cannot be computed.
    #[serde(serialize_with = "sentence", skip_serializing_if = "Option::is_none")]
    pub refused: Option<NoLimit>,
    /// Missing if it was refused.
    pub mean_load_per_processor: Option<f64>,
    /// How far the mean may be off.
    pub error: Option<f64>,
    /// Of each processor.
    pub requests_per_step: Option<f64>,
    /// Of each processor.
    pub jobs_moved_per_step: Option<f64>,
}

impl LoadLimit {
    /// Solves the equations of the limit for the λ and the steal function of a process.
    pub fn of(process: &Process) -> Self {
        let model = NaturalLimit::new(process.lambda.get(), process.steal);
        let solved = solve(&model);
        let refused = solved.as_ref().err().copied();
        let limit = solved.ok();
        let flows = limit.as_ref().map(|limit| model.flows(&limit.shares));
        Self {
            applies: process.placement == Placement::Uniform,
            refused,
            mean_load_per_processor: limit.as_ref().map(|limit| limit.mean),
            error: limit.as_ref().map(|limit| limit.error),
            requests_per_step: flows.map(|flows| flows.requests),
            jobs_moved_per_step: flows.map(|flows| flows.moved),
        }
    }
}

fn sentence<S: Serializer>(refused: &Option<NoLimit>, serializer: S) -> Result<S::Ok, S::Error> {
    match refused {
        Some(refused) => serializer.collect_str(refused),
        None => serializer.serialize_none(),
    }
}
