use filch_policy::dispatch::Spec;

use super::completions::Completions;
use super::drift::Drift;
use super::run::Batches;
use super::trajectory::Trajectory;

/// What happened in a run. Conclusions are for `filch-stats` to draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The policy.
    pub policy: Spec,
    /// Whether batches were split.
    pub batches: Batches,
    /// Slots that count, the warm-up being over.
    pub slots: u32,
    /// Total queue lengths over time, the warm-up included.
    pub trajectory: Trajectory,
    /// Σ of total queue lengths at the end of the slots that count.
    pub waited: u64,
    /// Jobs that arrived in those slots.
    pub jobs: u64,
    /// Jobs that left in those slots.
    pub served: u64,
    /// Batches with at least one job in those slots.
    pub arrived: u64,
    /// The parts that they were sent in; as many as batches if none was split.
    pub sub_batches: u64,
    /// Messages in those slots, counted as in PI section 4.1.
    pub messages: u64,
    /// Completion times, if they were asked for, of jobs that arrived in those slots.
    pub completions: Option<Completions>,
    /// Σ Q_i^{1+γ} at PI's sampling times, if it was asked for.
    pub drift: Option<Drift>,
    /// The slot before which the run was ended because more than
    /// [`MOST_JOBS`](super::MOST_JOBS) jobs would have waited in it.
    pub ended: Option<u32>,
}
