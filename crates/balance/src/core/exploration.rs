//! Servers that the policy does not choose are tried all the same, and new servers slowly.
//!
//! A server that was slow, or is taken for slow, gets no requests while others are better, and so
//! its recovery would never be seen. One request in [`PROBE_EVERY`] may go to such a server: to the
//! next one in turn that has nothing outstanding and has got nothing for [`QUIET`]. That is a bound
//! on the cost, 0.2 % of the requests, and on the wait: k such servers each get a request within
//! 512 · k requests, once they have been quiet for a second.
//!
//! A server that has joined or come up may be cold. It gets one request at first, and one more at a
//! time with each good answer, as a TCP connection starts. It is passed over while it has as many;
//! if there is no other server, it gets them.

use std::hash::Hash;

use filch_policy::dispatch::{Dispatch, Spec};

use super::Core;

/// At most one request in so many is a probe.
const PROBE_EVERY: u64 = 512;
/// A server is probed if it has got nothing for this many nanoseconds.
const QUIET: u64 = 1_000_000_000;
/// A server is no longer new after this many good answers.
pub(crate) const WARM: u32 = 8;
/// At most so many servers are passed over in one decision.
pub(super) const MOST_PASSED_OVER: usize = 8;

/// When servers are probed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Probes {
    /// How many requests had been sent at the last probe.
    at: u64,
}

/// Whether the policy prefers some servers by what it has learned, so that it may miss a change.
pub(super) fn explores(spec: &Spec) -> bool {
    spec.needs().speeds || spec.listens()
}

impl<K: Eq + Hash> Core<K> {
    /// The server that is to be probed now, if there is one.
    pub(super) fn probe(&mut self, now: u64) -> Option<u32> {
        let sends = self.counts.sends;
        if !self.explores || sends < self.probes.at + PROBE_EVERY {
            return None;
        }
        // The cursor is at the server after the one that was looked after last, in turn.
        let at = self.cursor as u32;
        let slot = self.slots[at as usize].as_ref()?;
        let quiet = now.saturating_sub(slot.touched) >= QUIET;
        if !slot.open || slot.outstanding > 0 || !quiet {
            return None;
        }
        self.probes.at = sends;
        // Whatever token the policy has of it is used up.
        let place = slot.place as usize;
        self.policy.withdraw(place);
        Some(at)
    }
}
