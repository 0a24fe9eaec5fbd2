use std::hash::Hash;

use super::Core;
use super::speed::UNKNOWN;

/// Up to this many speeds are computed again all at once.
const FEW: usize = 64;
/// Of more, one decision computes this many.
const PER_DECISION: usize = 4;

impl<K: Eq + Hash> Core<K> {
    /// Each decision looks after one server, the next in turn, or after a few while speeds are out
    /// of date. So the work is spread evenly, and no decision waits for a sweep over thousands of
    /// servers.
    #[inline(always)]
    pub(super) fn look_after_some(&mut self, now: u64) {
        if self.slots.is_empty() {
            return;
        }
        let outdated = self.outdated.min(PER_DECISION);
        self.outdated -= outdated;
        for _ in 0..outdated.max(1) {
            self.look_after_next(now, outdated > 0);
        }
    }

    /// The typical service time is part of every speed, above all of servers without samples. When
    /// it has moved, all speeds are computed again: at once if the servers are few or nothing was
    /// known before, otherwise a few at each decision.
    pub(super) fn spread_typical(&mut self, typical: f64) {
        if (0.9..=1.1).contains(&(typical / self.spread)) {
            return;
        }
        let first = self.spread == UNKNOWN;
        self.spread = typical;
        if !first && self.slots.len() > FEW {
            self.outdated = self.slots.len();
            return;
        }
        for at in 0..self.slots.len() {
            if self.slots[at].is_some() {
                self.compute_speed(at as u32);
            }
        }
    }

    fn look_after_next(&mut self, now: u64, outdated: bool) {
        let at = self.cursor as u32;
        self.cursor += 1;
        if self.cursor == self.slots.len() {
            self.cursor = 0;
        }
        let (presume, learned) = (self.presume_idle, self.speeds_are_learned);
        let Some(slot) = &mut self.slots[at as usize] else {
            return;
        };
        let mut speed = slot.speed;
        if learned && (slot.learned.age(now) || outdated) {
            let typical = self.typical.service();
            speed = slot.learned.speed(typical / slot.weight, slot.believed);
        }
        let presumed = slot.is_quiet(now, presume);
        if presumed {
            slot.token = true;
            slot.touched = now;
        }
        let open = slot.open;
        // The speed of a server with many samples hardly changes: the policy is spared the news.
        if speed != slot.speed && !(0.98..=1.02).contains(&(speed / slot.speed)) {
            slot.speed = speed;
            self.show(at);
        }
        if presumed {
            self.counts.tokens.presumed += 1;
            if open {
                self.tell_token(at);
            }
        }
    }
}
