//! Requests that a thread sends without the dispatcher, because another thread has it for longer
//! than a decision may take: it is in the middle of a large change, or the operating system has
//! displaced it.

use std::hash::Hash;
use std::num::NonZero;
use std::sync::Arc;

use filch_policy::dispatch::Dispatch;

use super::exploration::WARM;
use super::slot::{ABSENT, Slot};
use super::{Core, Sent};
use crate::board::Board;

/// A request that was sent alone, for the dispatcher to count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alone {
    slot: u32,
    generation: NonZero<u32>,
    at: u64,
}

impl Alone {
    /// A request for the server that the board recommends, if it does.
    pub(crate) fn send(board: &Board, now: u64) -> Option<(Self, Sent)> {
        let seen = board.choose(now)?;
        let alone = Self {
            slot: seen.slot,
            generation: seen.generation,
            at: now,
        };
        Some((alone, Sent::alone(&seen, now)))
    }
}

impl<K: Eq + Hash> Core<K> {
    /// What a thread without the dispatcher may know.
    pub(crate) fn board(&self) -> &Arc<Board> {
        &self.board
    }

    /// Counts a request that was sent alone.
    pub(super) fn count_alone(&mut self, sent: Alone) {
        self.counts.alone += 1;
        self.board.counted();
        let slot = self.slots[sent.slot as usize].as_ref();
        match slot.filter(|slot| slot.generation == sent.generation) {
            Some(slot) => {
                if slot.place != ABSENT {
                    // Whatever token the policy has of it is used up.
                    self.policy.withdraw(slot.place as usize);
                }
                let _ = self.give(sent.slot, 0, sent.at); // the sender has it already
            }
            None => {
                // The server has left. The request ends as every other one.
                self.counts.in_flight += 1;
                self.counts.decisions += 1;
                self.counts.sends += 1;
            }
        }
    }

    /// Shows the server on the board as it is, if a request may go to it without being decided on.
    #[inline(always)]
    pub(super) fn show_on_board(&self, at: u32) {
        let slot = self.slot(at);
        if slot.takes_any_request(self.explores) {
            let Slot {
                generation,
                outstanding,
                speed,
                ..
            } = *slot;
            self.board.show(at, generation, outstanding, speed);
        } else {
            self.board.hide(at);
        }
    }
}

impl<K> Slot<K> {
    /// Whether it may be chosen by threads that do not know of one another: it has no limit that
    /// they could pass, it has earned the requests that it gets, and it does not fail more often
    /// than others.
    #[inline]
    fn takes_any_request(&self, newcomers_wait: bool) -> bool {
        let is_known = !newcomers_wait || self.warmth == WARM;
        self.open && self.limit == u32::MAX && is_known && self.faults.is_free()
    }
}
