//! Which bound applies to which scheduler.

use filch_sim::machine::{Rule, Scheduler, WayBack};

use super::bounds::{DagBounds, WholeNumber};

/// The bound for a scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promised<T> {
    /// Its value, if it has no unnamed constant.
    pub at_most: Option<T>,
    /// Its formula, and where it is stated.
    pub stated: &'static str,
}

impl<T> Promised<T> {
    const NOTHING: Self = Self {
        at_most: None,
        stated: "nothing is promised",
    };
}

impl DagBounds {
    /// The bound on the time of `scheduler`.
    pub fn time_of(&self, scheduler: Scheduler) -> Promised<f64> {
        let (at_most, stated) = match scheduler {
            Scheduler::Greedy => (Some(self.greedy_time), "T1/P + Tinf, BL99 Theorem 1"),
            Scheduler::BusyLeaves => (Some(self.busy_leaves_time), "T1/P + Tinf, BL99 Theorem 3"),
            // BL99 names no constant.
            Scheduler::Stealing => (None, "T1/P + O(Tinf) in the mean, BL99 section 6"),
            Scheduler::VertexStealing => (
                Some(self.expected_time),
                "T1/P + 64·Tinf in the mean, ABP01",
            ),
            Scheduler::ForkJoin(Rule::HandOver(WayBack::Passed)) => (
                None,
                "T1/P + O(Tinf), proved without helping, docs/waiting.md",
            ),
            Scheduler::Sharing | Scheduler::ForkJoin(_) => return Promised::NOTHING,
        };
        Promised { at_most, stated }
    }

    /// The bound on the deepest stack under `scheduler`, if its machine has stacks.
    pub fn stack_of(&self, scheduler: Scheduler) -> Promised<u64> {
        match scheduler {
            Scheduler::ForkJoin(Rule::Leapfrog(_) | Rule::HandOver(_)) => Promised {
                at_most: Some(self.stack_depth),
                stated: "S1, docs/waiting.md",
            },
            _ => Promised::NOTHING,
        }
    }

    /// The bound on the space of `scheduler`.
    pub fn space_of(&self, scheduler: Scheduler) -> Promised<&WholeNumber> {
        match scheduler {
            Scheduler::BusyLeaves | Scheduler::Stealing => Promised {
                at_most: Some(&self.space),
                stated: "S1·P, BL99 Theorems 3 and 5",
            },
            Scheduler::ForkJoin(Rule::Leapfrog(_) | Rule::HandOver(WayBack::Passed)) => Promised {
                at_most: Some(&self.space),
                stated: "S1·P for frames that have begun, docs/waiting.md",
            },
            Scheduler::Greedy
            | Scheduler::VertexStealing
            | Scheduler::Sharing
            | Scheduler::ForkJoin(_) => Promised::NOTHING,
        }
    }
}
