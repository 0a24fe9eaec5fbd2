use core::fmt;

use filch_policy::dispatch::Spec;
use filch_workload::Arrivals;

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
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Who decides where a batch goes.
    pub policy: Spec,
    /// Whether it may be split.
    pub batches: Batches,
    /// How many jobs arrive.
    pub arrivals: Arrivals,
    /// Whether to time jobs. That costs more than all the rest, so a run that needs only queues and
    /// messages should not; the *mean* completion time follows from the queues by Little's law anyway.
    pub completions: bool,
    /// Watch Σ Q_i^{1+γ} at PI's sampling times, for this γ. They are defined by the Last-Idle server,
    /// so this is for `pi` with whole batches; under other policies the last server that got a batch
    /// stands in for it.
    pub drift: Option<f64>,
}

impl Run {
    /// A run that times jobs and does not watch the drift.
    pub fn of(policy: Spec, batches: Batches, arrivals: Arrivals) -> Self {
        Self {
            policy,
            batches,
            arrivals,
            completions: true,
            drift: None,
        }
    }
}

/// How long a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// Slots in all, at most [`Length::MOST_SLOTS`].
    pub slots: u32,
    /// So many slots at the start count neither for messages nor for completion times; the
    /// trajectory has them.
    pub warm_up: u32,
    /// The trajectory has at most so many points, means over equally many slots each.
    pub points: u32,
}

impl Length {
    /// The longest run.
    pub const MOST_SLOTS: u32 = i32::MAX as u32;

    /// So many slots, all of which count, with a trajectory of up to 4096 points.
    pub const fn of(slots: u32) -> Self {
        Self {
            slots,
            warm_up: 0,
            points: 4096,
        }
    }
}
