//! Servers that the policy does not choose are tried all the same, and new servers slowly.
//!
//! A server that was slow, or is taken for slow, gets no requests while others are better, and so
//! its recovery would never be seen. So some requests are *probes*: they go to the next server in
//! turn that has nothing outstanding and has got nothing for [`QUIET`]. A probe costs the time by
//! which its server is slower than is typical. After a probe there is none until the requests since
//! have paid for it, with [`PRICE`] of the typical service time each. So probes add at most 2 % to
//! the service time, as long as no server is more than ten times slower than is typical. It takes
//! at least [`LEAST`] requests, also for servers that are not slow, and at most [`MOST`]. That
//! bounds the wait: k such servers each get a request within 512 · k requests, once they have been
//! quiet for a second.
//!
//! Several dispatchers share the requests and so the probes. Most servers that one of them leaves
//! alone are no slower than others. Probes of these cost the least, so that one that is slow does
//! not wait long for them.
//!
//! Most of them are also in use: other dispatchers send them requests, and would see a change. A
//! server that all dispatchers leave alone is seen by probes alone. The numbers of its answers
//! tell the two apart. So a probe that is due looks for a server that all leave alone first, and
//! takes one in use after a further [`GRACE`] requests. Servers that were in use wait longer while
//! there are others, but what was heard of their use counts for ten seconds only.
//!
//! A slow server may be about to get faster if it is new, or was faster not long ago: it is cold,
//! or shares its machine with something else. Such a server is *promising*, and is probed whenever
//! it has been quiet for so long, whatever the probe costs, but by one request in [`LEAST`] at
//! most. A server that has always been slow is not worth that many.
//!
//! Promising servers share these probes, so that each waits the longer the more there are, and some
//! for ever if turns and shares keep step. So a promising server that is not known to be in use is
//! *overdue* when it has let [`PATIENCE`] pass, and does not wait for others. It gets a request at
//! its turn, which comes once in as many decisions as there are servers. So with n servers it gets
//! one of PATIENCE + n requests of each dispatcher, however many others are promising. If five of
//! eight dispatchers find a server promising, and each has a hundred requests per second, it gets
//! one every half second. A smaller number finds a recovery no sooner than needed, and costs:
//! docs/proxies.md has the figures.
//!
//! A server that has joined or come up may be cold. It gets one request at first, and one more at a
//! time with each good answer, as a TCP connection starts. It is passed over while it has as many;
//! if there is no other server, it gets them.

use std::hash::Hash;

use filch_policy::dispatch::{Dispatch, Spec};

use super::Core;
use super::slot::Slot;

/// The share of the typical service time that each request pays for probes.
const PRICE: f64 = 0.02;
/// The least and the greatest number of requests between two probes.
const LEAST: u64 = 64;
const MOST: u64 = 512;
/// For so many requests, a probe that is due waits for a server that no dispatcher uses.
const GRACE: u64 = 64;
/// A promising server lets at most so many requests pass.
const PATIENCE: u64 = 256;
/// A server is probed if it has got nothing for this many nanoseconds.
pub(super) const QUIET: u64 = 1_000_000_000;
/// A server is promising for this many nanoseconds after it has joined or come up.
const NEW: u64 = 30_000_000_000;
/// A server has slowed down if it has less than this share of the speed that it had.
const SLOWED: f64 = 0.5;
/// A new server is slow if it has less than this share of the typical speed.
const SLOW: f64 = 0.8;
/// With each good answer, that speed is forgotten by this share.
const FORGOTTEN: f64 = 1.0 / 64.0;
/// A server is no longer new after this many good answers.
pub(crate) const WARM: u32 = 8;
/// At most so many servers are passed over in one decision.
pub(super) const MOST_PASSED_OVER: usize = 8;

/// When servers are probed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Probes {
    /// How many requests will have been sent at the next probe, at the earliest.
    next: u64,
    /// The same for promising servers.
    next_promising: u64,
}

/// Whether the policy prefers some servers by what it has learned, so that it may miss a change.
pub(super) fn explores(spec: &Spec) -> bool {
    spec.needs().speeds || spec.listens()
}

impl<K: Eq + Hash> Core<K> {
    /// The server that is to be probed now, if there is one.
    pub(super) fn probe(&mut self, now: u64) -> Option<u32> {
        // While it is calm, no server has been quiet for so long.
        if !self.explores || self.is_calm(now) {
            return None;
        }
        let sends = self.counts.sends;
        // The cursor is at the server after the one that was looked after last, in turn.
        let at = self.cursor as u32;
        let slot = self.slots[at as usize].as_ref()?;
        let quiet = now.saturating_sub(slot.touched) >= QUIET;
        if !slot.open || slot.outstanding > 0 || !quiet {
            return None;
        }
        let is_due = sends >= self.probes.next_promising || slot.is_overdue(sends, now);
        if is_due && slot.is_promising(self.typical.service(), now) {
            self.probes.next_promising = sends + LEAST;
        } else if sends >= self.probes.next + self.grace(slot, now) {
            self.probes.next = sends + self.pause(slot.speed);
        } else {
            return None;
        }
        // Whatever token the policy has of it is used up.
        let place = slot.place as usize;
        self.policy.withdraw(place);
        Some(at)
    }

    /// For how many requests a probe that is due looks for a better server than this. One that
    /// fails is left alone for that reason, and is no better than one in use. Policies that go by
    /// tokens alone keep every server busy, so their probes need no order.
    fn grace(&self, slot: &Slot<K>, now: u64) -> u64 {
        let better = !slot.word.is_in_use(now) && slot.faults.is_free();
        if better || !self.spec.needs().speeds {
            0
        } else {
            GRACE
        }
    }

    /// How many requests pay for a probe of a server of this speed. Policies that go by tokens
    /// alone do not use speeds, and probes take tokens from them: these pay most.
    fn pause(&self, speed: f64) -> u64 {
        if !self.spec.needs().speeds {
            return MOST;
        }
        let excess = (1.0 / (speed * self.typical.service()) - 1.0).max(0.0);
        ((excess / PRICE) as u64).clamp(LEAST, MOST)
    }
}

impl<K> Slot<K> {
    /// Whether the server is slow and may be about to get faster.
    fn is_promising(&self, typical: f64, now: u64) -> bool {
        let is_new = || now.saturating_sub(self.since) < NEW;
        self.speed < SLOWED * self.best || self.speed * typical < SLOW && is_new()
    }

    /// Whether it has waited for probes of others for long, and is not known to be in use.
    fn is_overdue(&self, sends: u64, now: u64) -> bool {
        sends.saturating_sub(self.faults.sent_at) >= PATIENCE && !self.word.is_in_use(now)
    }

    /// Its speed was learned once more.
    pub(super) fn remember_speed(&mut self) {
        self.best = self.speed.max(self.best * (1.0 - FORGOTTEN));
    }
}
