//! The three invariants of BFG03, section 4.4.

use num_bigint::BigUint;

use super::Coupling;
use super::choices::Choices;

/// A violated invariant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokenInvariant {
    /// Its number in the paper, 1 to 3.
    pub invariant: u8,
    /// The t at which it was violated.
    pub step: u64,
    /// A processor that violates it, counted from 0.
    pub processor: usize,
}

impl<P, F> Coupling<P, F> {
    /// A violation of invariant 2 or 3 after `step` steps.
    pub(super) fn broken_state(&self, step: u64) -> Option<BrokenInvariant> {
        (0..self.queues.len()).find_map(|processor| {
            let queue = &self.queues[processor];
            let (invariant, holds) = match self.splits[processor] {
                None => (2, *queue == self.light[processor]),
                Some(splits) => (3, queue + step >= self.levels[splits]),
            };
            (!holds).then_some(BrokenInvariant {
                invariant,
                step,
                processor,
            })
        })
    }

    /// A violation of invariant 1: a processor that asks in one chain only.
    pub(super) fn broken_requests(&self, step: u64, choices: &Choices) -> Option<BrokenInvariant> {
        let asks_in_z = |processor: usize| {
            self.splits[processor].is_none()
                && self.light[processor] == BigUint::ZERO
                && choices.jobs[processor] == 0
        };
        (0..self.queues.len())
            .find(|&processor| asks_in_z(processor) != choices.asks[processor].is_some())
            .map(|processor| BrokenInvariant {
                invariant: 1,
                step,
                processor,
            })
    }
}
