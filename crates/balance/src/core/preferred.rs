//! Requests that belong to some servers: sessions stay where their state is.

use std::cmp::Ordering;
use std::hash::Hash;

use filch_policy::dispatch::Dispatch;

use super::slot::Slot;
use super::{Core, Sent};
use crate::Refused;

/// The servers that a request belongs to.
#[derive(Debug)]
pub(crate) struct Preferred<K> {
    /// The best first.
    pub(crate) servers: Vec<K>,
    /// How many of those that are up share the request.
    pub(crate) among: usize,
}

impl<K> Default for Preferred<K> {
    fn default() -> Self {
        Self {
            servers: Vec::new(),
            among: 0,
        }
    }
}

impl<K: Eq + Hash> Core<K> {
    /// Sends the request to one of its preferred servers: of the first `among` of them that are up
    /// and were not tried, to one that is known to be idle, otherwise to the one with the least
    /// expected delay. While all of these are full, the request is told that it cannot have any
    /// other, as if it had tried those. If none is up, the policy decides.
    pub(super) fn send_preferring(
        &mut self,
        preferred: &Preferred<K>,
        tried: &[K],
        now: u64,
    ) -> Result<Sent, Refused> {
        let candidates = self.candidates(preferred, tried);
        if candidates.is_empty() {
            return self.send_avoiding(tried, now);
        }
        self.look_after_some(now);
        let open = candidates.iter().filter(|&&at| self.slot(at).open);
        let best = open.max_by(|&&one, &&other| is_better(self.slot(one), self.slot(other)));
        let Some(&at) = best else {
            return Err(Refused::AllTried);
        };
        // Whatever token the policy has of it is used up.
        let place = self.slot(at).place as usize;
        self.policy.withdraw(place);
        Ok(self.give(at, self.open as u32, now))
    }

    /// The slots of the first `among` preferred servers that are up and were not tried.
    pub(super) fn candidates(&self, preferred: &Preferred<K>, tried: &[K]) -> Vec<u32> {
        let known = preferred.servers.iter().filter(|key| !tried.contains(key));
        let slots = known.filter_map(|key| self.by_key.get(key).copied());
        let working = slots.filter(|&at| self.slot(at).up && self.slot(at).ready);
        working.take(preferred.among).collect()
    }
}

/// Idle servers are better than others, and of these the one that would answer first.
fn is_better<K>(one: &Slot<K>, other: &Slot<K>) -> Ordering {
    let rate = |slot: &Slot<K>| slot.speed / (f64::from(slot.outstanding) + 1.0);
    let by_token = one.token.cmp(&other.token);
    by_token.then_with(|| rate(one).total_cmp(&rate(other)))
}
