use filch_policy::dispatch::Spec;

use super::completions::Completions;
use super::drift::Drift;
use super::run::Batches;
use super::trajectory::Trajectory;

/// What happened in a run. Conclusions are drawn with `filch-stats`.
#[derive(Clone, Debug, PartialEq)]
pub struct FarmOutcome<P = Spec> {
    /// The policy.
    pub policy: P,
    /// Whether batches were split.
    pub batches: Batches,
    /// Slots that count, those after the warm-up.
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
    /// The parts in which they were sent; as many as batches if none was split.
    pub sub_batches: u64,
    /// Messages in those slots, counted as in PI section 4.1.
    pub messages: u64,
    /// Completion times of jobs that arrived in those slots, if the run timed them.
    pub completions: Option<Completions>,
    /// Σ Q_i^{1+γ} at PI's sampling times, if the run watched it.
    pub drift: Option<Drift>,
    /// The first slot that was not simulated because more than [`MOST_JOBS`](super::MOST_JOBS) jobs
    /// would have waited in it.
    pub ended: Option<u32>,
}

impl<P> FarmOutcome<P> {
    /// The same with something else in place of the policy, such as its name.
    pub fn called<Q>(self, policy: Q) -> FarmOutcome<Q> {
        FarmOutcome {
            policy,
            batches: self.batches,
            slots: self.slots,
            trajectory: self.trajectory,
            waited: self.waited,
            jobs: self.jobs,
            served: self.served,
            arrived: self.arrived,
            sub_batches: self.sub_batches,
            messages: self.messages,
            completions: self.completions,
            drift: self.drift,
            ended: self.ended,
        }
    }
}
