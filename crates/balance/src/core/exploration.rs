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
//! A server that has joined or come up may be cold. It gets one request at first, and one more at a
//! time with each good answer, as a TCP connection starts. It is passed over while it has as many;
//! if there is no other server, it gets them.

use std::hash::Hash;

use filch_policy::dispatch::{Dispatch, Spec};

use super::Core;

/// The share of the typical service time that each request pays for probes.
const PRICE: f64 = 0.02;
/// The least and the greatest number of requests between two probes.
const LEAST: u64 = 64;
const MOST: u64 = 512;
/// A server is probed if it has got nothing for this many nanoseconds.
const QUIET: u64 = 1_000_000_000;
/// A server is no longer new after this many good answers.
pub(crate) const WARM: u32 = 8;
/// At most so many servers are passed over in one decision.
pub(super) const MOST_PASSED_OVER: usize = 8;

/// When servers are probed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Probes {
    /// How many requests will have been sent at the next probe, at the earliest.
    next: u64,
}

/// Whether the policy prefers some servers by what it has learned, so that it may miss a change.
pub(super) fn explores(spec: &Spec) -> bool {
    spec.needs().speeds || spec.listens()
}

impl<K: Eq + Hash> Core<K> {
    /// The server that is to be probed now, if there is one.
    pub(super) fn probe(&mut self, now: u64) -> Option<u32> {
        let sends = self.counts.sends;
        if !self.explores || sends < self.probes.next {
            return None;
        }
        // The cursor is at the server after the one that was looked after last, in turn.
        let at = self.cursor as u32;
        let slot = self.slots[at as usize].as_ref()?;
        let quiet = now.saturating_sub(slot.touched) >= QUIET;
        if !slot.open || slot.outstanding > 0 || !quiet {
            return None;
        }
        self.probes.next = sends + self.pause(slot.speed);
        // Whatever token the policy has of it is used up.
        let place = slot.place as usize;
        self.policy.withdraw(place);
        Some(at)
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
