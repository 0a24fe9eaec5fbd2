use core::fmt;

use filch_policy::dispatch::{Spec, Start};
use filch_workload::{ArrivalLaw, Arrivals};

/// Whether a batch may be split (PI section 2.2) or not (section 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Batches {
    /// A batch goes to one server.
    Whole,
    /// A batch may be spread over several.
    Split,
}

impl Batches {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Whole, Self::Split];

    /// `whole` or `split`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Split => "split",
        }
    }
}

impl fmt::Display for Batches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One policy at work under one arrival process.
///
/// The policy is a name ([`Spec`]) or one of your own: anything that implements
/// [`Dispatch`](filch_policy::dispatch::Dispatch) and [`Clone`]. The arrivals have a name
/// ([`Arrivals`]) or are your own: anything that implements [`Arrive`](filch_workload::Arrive) and
/// [`Clone`].
#[derive(Clone, Debug, PartialEq)]
pub struct Run<P = Spec, A = Arrivals> {
    /// The policy that decides where a batch goes.
    pub policy: P,
    /// Whether it may be split.
    pub batches: Batches,
    /// How many jobs arrive.
    pub arrivals: A,
    /// Whether to time jobs. Timing takes about half of a run's time, so a run that needs only
    /// queues and messages should not. The *mean* completion time follows from the queues by
    /// Little's law.
    pub completions: bool,
    /// Watch Σ Q_i^{1+γ} at PI's sampling times, for this γ. They are defined by the Last-Idle
    /// server, so this is for `pi` with whole batches. Under other policies the last server that
    /// got a batch takes its place.
    pub drift: Option<f64>,
}

impl Run {
    /// A run of a policy and arrivals that have names. It times jobs and does not watch the drift.
    pub fn of(policy: Spec, batches: Batches, arrivals: Arrivals) -> Self {
        Self::with(policy, batches, arrivals)
    }
}

impl<P: Start, A: ArrivalLaw> Run<P, A> {
    /// A run of any policy under any arrivals, named or your own. It times jobs and does not watch
    /// the drift.
    pub fn with(policy: P, batches: Batches, arrivals: A) -> Self {
        Self {
            policy,
            batches,
            arrivals,
            completions: true,
            drift: None,
        }
    }

    /// Whether this run is the same as `other` at first and can take over from it, whenever they
    /// part.
    pub(super) fn begins_as(&self, other: &Self) -> bool {
        self.policy.begins_as(&other.policy)
            && self.batches == other.batches
            && self.arrivals.is_same(&other.arrivals)
            && self.completions == other.completions
            && self.drift == other.drift
    }
}

/// How long a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// Slots in all, at most [`Length::MOST_SLOTS`].
    pub slots: u32,
    /// Slots at the start that count neither for messages nor for completion times. The trajectory
    /// includes them.
    pub warm_up: u32,
    /// The most points of the trajectory, which are means over equally many slots each.
    pub points: u32,
}

impl Length {
    /// The longest run.
    pub const MOST_SLOTS: u32 = i32::MAX as u32;

    /// `slots` slots, all of which count, with a trajectory of up to 4096 points.
    pub const fn of(slots: u32) -> Self {
        Self {
            slots,
            warm_up: 0,
            points: 4096,
        }
    }
}
