//! Servers are looked after in turn, one at each decision: samples that have become old are weighed
//! again, and servers that have been quiet for long are presumed idle, or probed.
//!
//! All of this is due to a server when some time has passed since it was last used or weighed. The
//! end of that time only moves on. So the earliest end that a round over all servers has found is a
//! time before which nothing is due to any of them, and until then decisions spare themselves the
//! look. A server that is quiet already keeps the rounds going.

use std::hash::Hash;
use std::mem;

use super::Core;
use super::exploration::QUIET;
use super::slot::Slot;
use super::speed::UNKNOWN;

/// Up to this many speeds are computed again all at once.
const FEW: usize = 64;
/// Of more, one decision computes this many.
const PER_DECISION: usize = 4;

impl<K: Eq + Hash> Core<K> {
    /// Each decision looks after one server, the next in turn, unless nothing is due to any; or
    /// after a few while speeds are out of date. So the work is spread evenly, and no decision
    /// waits for a sweep over thousands of servers.
    #[inline(always)]
    pub(super) fn look_after_some(&mut self, now: u64) {
        if self.slots.is_empty() || self.is_calm(now) && self.outdated == 0 {
            return;
        }
        let outdated = self.outdated.min(PER_DECISION);
        self.outdated -= outdated;
        for _ in 0..outdated.max(1) {
            self.look_after_next(now, outdated > 0);
        }
    }

    /// Whether nothing that time brings is due to any server.
    #[inline]
    pub(super) fn is_calm(&self, now: u64) -> bool {
        now < self.calm_until
    }

    /// A server joins, of which the present round may not know.
    pub(super) fn is_calm_no_more(&mut self) {
        self.calm_until = 0;
        self.calm_so_far = 0;
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
        self.look_after(at, now, outdated);
        self.cursor += 1;
        if self.cursor == self.slots.len() {
            self.cursor = 0;
            self.calm_until = mem::replace(&mut self.calm_so_far, u64::MAX);
        }
    }

    #[inline(always)]
    fn look_after(&mut self, at: u32, now: u64, outdated: bool) {
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
        let quiet = if self.explores {
            presume.min(QUIET)
        } else {
            presume
        };
        self.calm_so_far = self.calm_so_far.min(slot.next_due(quiet, learned));
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

impl<K> Slot<K> {
    /// Nothing is due before this moment, whatever happens to the server until then. `quiet` is how
    /// long a server has to be quiet for something to be due.
    #[inline]
    fn next_due(&self, quiet: u64, learned: bool) -> u64 {
        let used = self.touched.saturating_add(quiet);
        if learned {
            used.min(self.learned.weighs_next())
        } else {
            used
        }
    }
}

#[cfg(test)]
mod tests {
    use filch_random::{Purpose, Seed};
    use rand::RngExt;

    use super::*;
    use crate::core::LeaseEnd;
    use crate::{Options, Outcome, Server, Told};

    /// Servers are used, left alone, and come, go and fall down at random.
    #[test]
    fn nothing_is_due_while_it_is_calm() {
        let options = Options::of("idle-fastest(sed)".parse().unwrap());
        let mut core: Core<u32> = Core::new(&options);
        let mut rng = Seed::new(1).stream(Purpose::named("test"), 0, 0);
        let (mut now, mut open, mut calm) = (0, Vec::new(), 0);
        for step in 0..100_000 {
            now += rng.random_range(0..2_000_000);
            if step % 1_000 == 0 {
                now += rng.random_range(0..3_000_000_000);
                let key = rng.random_range(0..12);
                match rng.random_range(0..3) {
                    0 => drop(core.remove_one(&key)),
                    1 => drop(core.set_up(&key, rng.random(), now)),
                    _ => drop(core.insert(Server::new(key), now).unwrap()),
                }
            }
            if let Ok(sent) = core.send(now) {
                open.push(sent);
            }
            while open.len() > 6 {
                let sent = open.swap_remove(rng.random_range(0..open.len()));
                let end = LeaseEnd::Answered(Outcome::Good, Told::Silent);
                core.finish(&sent, end, now);
            }
            if core.is_calm(now) {
                calm += 1;
                let quiet = core.presume_idle.min(QUIET);
                for slot in core.slots.iter().flatten() {
                    assert!(slot.next_due(quiet, true) > now, "step {step}");
                    assert!(!slot.is_quiet(now, core.presume_idle), "step {step}");
                }
            }
        }
        assert!((1_000..99_000).contains(&calm), "{calm}");
    }
}
