use std::hash::Hash;
use std::task::Waker;

use super::{Core, Sent};
use crate::Told;

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Answered(Told),
    Failed,
    /// The client has gone; the server may still be working.
    Abandoned,
    /// It was never sent.
    Unsent,
}

impl<K: Eq + Hash> Core<K> {
    /// A lease comes back. Hands out whom to wake.
    pub(crate) fn finish(&mut self, sent: &Sent<K>, end: End, now: u64) -> Option<Waker> {
        self.counts.in_flight -= 1;
        if end == End::Unsent {
            self.counts.decisions -= 1;
            self.counts.asking_all -= u64::from(sent.among);
        }
        let slot = self.slots.get_mut(sent.slot as usize)?.as_mut()?;
        if slot.generation != sent.generation {
            return None; // the server has left
        }
        slot.outstanding -= 1;
        slot.touched = now;
        let token = match end {
            End::Answered(told) => {
                slot.served += 1;
                self.learn(sent, now);
                self.is_idle_now(sent.slot, told)
            }
            End::Unsent => sent.on_token && slot.outstanding == 0 && slot.up,
            End::Failed => {
                slot.failed += 1;
                false
            }
            End::Abandoned => {
                slot.disturbed = true;
                false
            }
        };
        self.show(sent.slot);
        let slot = self.slot_mut(sent.slot);
        // A token is only held of a server with nothing outstanding, so there was none until now.
        slot.token = token;
        if slot.open && token {
            self.tell_token(sent.slot);
        }
        self.refresh(sent.slot);
        self.next_to_wake()
    }

    /// What the answer says about the server, and whether that makes a token.
    fn is_idle_now(&mut self, at: u32, told: Told) -> bool {
        let slot = self.slots[at as usize].as_ref().expect("a server's slot");
        let tokens = &mut self.counts.tokens;
        let alone = slot.outstanding == 0;
        let idle = match (told, slot.believed) {
            (Told::Idle, true) => {
                *(if alone {
                    &mut tokens.received
                } else {
                    &mut tokens.stale
                }) += 1;
                alone
            }
            (Told::Busy, true) => false,
            (Told::Silent, _) | (Told::Busy | Told::Idle, false) => {
                tokens.ignored += u64::from(told == Told::Idle);
                tokens.own += u64::from(alone);
                alone
            }
        };
        idle && slot.up
    }

    /// Learns the server's speed: how long it had the request, or how long after its previous answer
    /// it ended if it had to wait for that.
    fn learn(&mut self, sent: &Sent<K>, now: u64) {
        let slot = self.slots[sent.slot as usize]
            .as_mut()
            .expect("a server's slot");
        let began = sent.at.max(slot.answered);
        let disturbed = std::mem::take(&mut slot.disturbed);
        slot.answered = now;
        if !self.speeds_are_learned || disturbed {
            return;
        }
        let sample = now.saturating_sub(began).max(1) as f64 * 1e-9;
        let alone = sent.on_token || !slot.believed;
        slot.learned.learn(sample, alone, now);
        self.typical.learn(sample, slot.weight, self.by_key.len());
        let typical = self.typical.service();
        slot.speed = slot.learned.speed(typical / slot.weight, slot.believed);
        self.spread_typical(typical);
    }
}
