use std::hash::Hash;
use std::sync::Arc;

use filch_policy::dispatch::{Dispatch, View};
use rand::RngExt;

use super::Core;
use crate::Refused;

/// What a lease remembers of the decision.
#[derive(Debug)]
pub(crate) struct Sent<K> {
    pub(crate) key: Arc<K>,
    pub(crate) slot: u32,
    pub(crate) generation: u32,
    pub(crate) at: u64,
    /// How many servers could have been chosen.
    pub(crate) among: u32,
    /// Whether we held the server's token, which this request has used.
    pub(crate) on_token: bool,
}

impl<K: Eq + Hash> Core<K> {
    /// Decides where a request goes, and counts it as outstanding there.
    fn send(&mut self, now: u64) -> Result<Sent<K>, Refused> {
        self.look_after_some(now);
        if self.open == 0 {
            return Err(self.reason());
        }
        let among = self.open as u32;
        let at = self.choose();
        self.counts.in_flight += 1;
        self.counts.decisions += 1;
        self.counts.sends += 1;
        let sends = self.counts.sends;
        self.counts.asking_all += u64::from(among);
        let slot = self.slot_mut(at);
        slot.outstanding += 1;
        slot.touched = now;
        slot.faults.sent_at = sends;
        let sent = Sent {
            key: slot.key.clone(),
            slot: at,
            generation: slot.generation,
            at: now,
            among,
            on_token: std::mem::take(&mut slot.token),
        };
        self.show(at);
        self.refresh(at);
        Ok(sent)
    }

    /// The server that the policy names. If it fails too often, it may be passed over, and the policy
    /// is asked again.
    fn choose(&mut self) -> u32 {
        let mut at = self.named();
        if self.may_have_it(at) {
            return at;
        }
        let mut passed_over = Vec::new();
        while self.open > 1 && !self.may_have_it(at) {
            self.avoid(&[at], true);
            passed_over.push(at);
            at = self.named();
        }
        self.avoid(&passed_over, false);
        at
    }

    /// The server that the policy names among those that may be chosen.
    fn named(&mut self) -> u32 {
        let view = View::of_queues(&self.queues).with_speeds(&self.speeds);
        loop {
            let place = self.policy.whole(1, &view, &mut self.rng);
            let at = self.members[place];
            let slot = self.slots[at as usize].as_ref();
            if slot.is_some_and(|slot| slot.open) {
                return at;
            }
        }
    }

    /// Whether the server gets the request that the policy gave it: always, unless it fails more
    /// often than the others.
    fn may_have_it(&mut self, at: u32) -> bool {
        let faults = self.slot(at).faults;
        if faults.is_free() {
            return true;
        }
        let trust = faults.trust(self.faults, self.by_key.len());
        trust >= 1.0
            || faults.is_due(self.counts.sends, self.open)
            || self.rng.random::<f64>() < trust
    }

    /// Decides among the servers that are not in `avoided`. Those leave the policy for the time of
    /// the decision: a policy that goes on with its last server forgets it, as it should after a
    /// failure.
    pub(crate) fn send_avoiding(&mut self, avoided: &[K], now: u64) -> Result<Sent<K>, Refused> {
        let slots: Vec<u32> = avoided
            .iter()
            .filter_map(|key| self.by_key.get(key).copied())
            .collect();
        let could_be_chosen = slots.iter().any(|&at| self.slot(at).open);
        self.avoid(&slots, true);
        let sent = self.send(now);
        self.avoid(&slots, false);
        match sent {
            Err(_) if could_be_chosen => Err(Refused::AllTried),
            sent => sent,
        }
    }

    fn avoid(&mut self, slots: &[u32], avoided: bool) {
        for &at in slots {
            self.slot_mut(at).avoided = avoided;
            self.refresh(at);
        }
    }

    fn reason(&self) -> Refused {
        if self.by_key.is_empty() {
            Refused::NoServers
        } else if self.up == 0 {
            Refused::AllDown
        } else {
            Refused::Full
        }
    }
}
