use std::hash::Hash;
use std::task::Waker;

use super::exploration::WARM;
use super::{Core, Sent};
use crate::{Outcome, Told};

/// How a request ended. [`Lease`](crate::Lease) has a method for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseEnd {
    /// The server has answered and told this about itself.
    Answered(Outcome, Told),
    /// The server could not be reached, or broke off.
    Failed,
    /// The client has left; the server may still be working.
    Abandoned,
    /// The request was never sent.
    Unsent,
}

impl<K: Eq + Hash> Core<K> {
    /// Takes a lease back. Hands out the waiter to wake.
    pub(crate) fn finish(&mut self, sent: &Sent, end: LeaseEnd, now: u64) -> Option<Waker> {
        self.counts.in_flight -= 1;
        if end == LeaseEnd::Unsent {
            self.counts.decisions -= 1;
            self.counts.asking_all -= u64::from(sent.among);
        }
        let slot = self.slots.get_mut(sent.slot as usize)?.as_mut()?;
        if slot.generation != sent.generation {
            return None; // the server has left
        }
        slot.busy.pass(slot.outstanding, now);
        slot.outstanding -= 1;
        slot.touched = now;
        let token = match end {
            LeaseEnd::Answered(outcome, told) => {
                match outcome {
                    Outcome::Good => {
                        slot.served += 1;
                        slot.warmth = (slot.warmth + 1).min(WARM);
                        self.faults.record(&mut slot.faults, false);
                        self.learn(sent, now);
                    }
                    Outcome::Neutral => {
                        slot.served += 1;
                        slot.busy.take();
                    }
                    Outcome::Failed => {
                        slot.failed += 1;
                        slot.busy.take();
                        self.faults.record(&mut slot.faults, true);
                    }
                }
                self.is_idle_now(sent.slot, told, now)
            }
            LeaseEnd::Unsent => sent.on_token() && slot.outstanding == 0 && slot.up,
            LeaseEnd::Failed => {
                slot.failed += 1;
                slot.busy.take();
                self.faults.record(&mut slot.faults, true);
                false
            }
            LeaseEnd::Abandoned => {
                slot.disturbed = true;
                false
            }
        };
        self.show(sent.slot);
        let slot = self.slot_mut(sent.slot);
        if slot.outstanding == 0 {
            slot.word.settle();
        }
        // We hold tokens only of servers with nothing outstanding, so we held none of this one.
        slot.token = token;
        if slot.open && token {
            self.tell_token(sent.slot);
        }
        self.refresh(sent.slot);
        self.wake_after_finish(sent.slot)
    }

    /// Whether the answer makes a token: the server is idle, by its word or by our count.
    fn is_idle_now(&mut self, at: u32, told: Told, now: u64) -> bool {
        let slot = self.slots[at as usize].as_mut().expect("a server's slot");
        let tokens = &mut self.counts.tokens;
        let alone = slot.outstanding == 0;
        let word = if slot.believed {
            slot.word.hear(told, now)
        } else {
            tokens.ignored += u64::from(told.is_idle());
            None
        };
        let idle = alone && word.unwrap_or(true);
        match word {
            Some(_) => {
                if alone {
                    slot.learned.emptied(idle);
                }
                tokens.received += u64::from(idle);
                tokens.stale += u64::from(told.is_idle() && !alone);
            }
            None => tokens.own += u64::from(idle),
        }
        idle && slot.up
    }

    /// Learns how long a request takes at the server, and how many it serves at a time.
    #[inline(always)]
    fn learn(&mut self, sent: &Sent, now: u64) {
        let slot = self.slots[sent.slot as usize]
            .as_mut()
            .expect("a server's slot");
        let disturbed = std::mem::take(&mut slot.disturbed);
        let busy = slot.busy.take();
        if !self.speeds_are_learned || disturbed {
            return;
        }
        let latency = now.saturating_sub(sent.at).max(1) as f64 * 1e-9;
        let learned = &mut slot.learned;
        let weight = if slot.believed {
            learned.own_share()
        } else {
            1.0
        };
        learned.concurrency.learn(latency, sent.ahead(), weight);
        let chosen = learned.concurrency.chosen();
        slot.at_once = learned.concurrency.at_once();
        let sample = if sent.on_token() && slot.believed {
            learned.learn_alone(latency, now);
            latency
        } else {
            learned.learn_places(busy, now);
            busy[chosen]
        };
        self.typical.learn(sample, slot.weight, self.by_key.len());
        let typical = self.typical.service();
        slot.speed = slot.learned.speed(typical / slot.weight, slot.believed);
        slot.remember_speed();
        self.spread_typical(typical);
    }
}
