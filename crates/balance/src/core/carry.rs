//! What was learned about servers, handed to another dispatcher: the same one after a restart, or
//! one with another policy.

use std::hash::Hash;

use super::Core;
use super::speed::Learned;
use crate::Samples;

impl<K: Eq + Hash + Clone> Core<K> {
    /// What is known of each server from its answers, faded to `now`.
    pub(crate) fn samples(&mut self, now: u64) -> Vec<(K, Samples)> {
        let slots = self.slots.iter_mut().flatten();
        let known = slots.filter_map(|slot| {
            let samples = slot.learned.faded(now)?;
            Some((K::clone(&slot.key), samples))
        });
        known.collect()
    }
}

impl<K: Eq + Hash> Core<K> {
    /// What is known of one server from its answers, faded to `now`.
    pub(crate) fn samples_of(&mut self, key: &K, now: u64) -> Option<Samples> {
        let at = *self.by_key.get(key)?;
        self.slot_mut(at).learned.faded(now)
    }

    /// Takes over what another dispatcher knew of a server of which we know nothing yet.
    pub(crate) fn restore(&mut self, key: &K, samples: Samples, now: u64) {
        let Some(&at) = self.by_key.get(key) else {
            return;
        };
        let servers = self.by_key.len();
        let slot = self.slot_mut(at);
        if slot.learned.is_known() || !samples.is_sound() {
            return;
        }
        slot.learned = Learned::of(samples, now);
        let weight = slot.weight;
        self.typical.learn(samples.mean(), weight, servers);
        let typical = self.typical.service();
        self.compute_speed(at);
        self.spread_typical(typical);
    }
}
