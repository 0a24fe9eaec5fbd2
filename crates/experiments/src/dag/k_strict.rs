//! What is promised of k-strict computations.

use filch_sim::machine::Scheduler;
use filch_theory::machine::{Hypotheses, k_strict};
use serde::Serialize;

use super::bounds::WholeNumber;
use super::executions::Executions;
use super::promised::Promised;

/// The bounds of Fatourou and Spirakis for a computation that is strict but not fully.
#[derive(Clone, Debug, Serialize)]
pub struct KStrictBounds {
    /// How far up a thread joins.
    pub k: u64,
    /// The least c with time ≤ T1/P + c·k·Tinf in all runs.
    pub least_constant: f64,
    /// P·k·Tinf·(1 + nd)·Smax, of which the bound is a constant multiple.
    pub communication: WholeNumber,
}

impl KStrictBounds {
    /// The bound on the time.
    pub const TIME: Promised<f64> = Promised {
        at_most: None,
        stated: "O(T1/P + k·Tinf) in the mean, Fatourou and Spirakis 2000",
    };
    /// The bound on the space.
    pub const SPACE: Promised<&'static WholeNumber> = Promised {
        at_most: None,
        stated: "O(S1·P), Fatourou and Spirakis 2000",
    };

    /// `None` unless the scheduler is `stealing` and the computation strict but not fully.
    pub(super) fn of(
        executions: &Executions<'_>,
        given: &Hypotheses,
        longest: u64,
    ) -> Option<Self> {
        let measures = executions.measures;
        if executions.machine.scheduler != Scheduler::Stealing || measures.fully_strict {
            return None;
        }
        let k = measures.join_distance?;
        Some(Self {
            k,
            least_constant: k_strict::least_constant(given, k, longest as f64),
            communication: WholeNumber(k_strict::communication(given, k)),
        })
    }
}
