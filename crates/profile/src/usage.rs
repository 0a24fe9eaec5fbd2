use core::ops::{Add, Sub};

use crate::Duration;

/// How much of the processors a program got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The time of all its threads on processors.
    pub processor: Duration,
    /// How often the system took a processor from a thread that was not done with it.
    pub preemptions: u64,
}

impl Add for Usage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            processor: self.processor + other.processor,
            preemptions: self.preemptions.saturating_add(other.preemptions),
        }
    }
}

impl Sub for Usage {
    type Output = Self;

    /// Nothing where `other` is more.
    fn sub(self, other: Self) -> Self {
        Self {
            processor: self.processor - other.processor,
            preemptions: self.preemptions.saturating_sub(other.preemptions),
        }
    }
}
