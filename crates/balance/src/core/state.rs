use std::hash::Hash;

use filch_policy::dispatch::Dispatch;

use super::Core;
use crate::{ServerState, State};

impl<K: Eq + Hash + Clone> Core<K> {
    pub(crate) fn state(&self) -> State<K> {
        let servers = self.slots.iter().flatten().map(|slot| ServerState {
            key: K::clone(&slot.key),
            outstanding: slot.outstanding,
            token: slot.token,
            up: slot.up,
            ready: slot.ready,
            weight: slot.weight,
            speed: slot.speed,
            at_once: slot.at_once,
            learned: slot.learned.is_known(),
            limit: (slot.limit < u32::MAX).then_some(slot.limit),
            tokens: slot.believed,
            served: slot.served,
            failed: slot.failed,
            trust: slot.faults.trust(self.faults, self.by_key.len()),
        });
        let counts = &self.counts;
        let probes = self.policy.messages() - counts.told;
        let messages = probes
            + if self.spec.listens() {
                counts.tokens.of_answers()
            } else {
                0
            };
        State {
            servers: servers.collect(),
            in_flight: counts.in_flight,
            waiting: self.room.len(),
            decisions: counts.decisions,
            refused: counts.refused,
            alone: counts.alone,
            messages,
            messages_saved: counts.asking_all.saturating_sub(messages),
            tokens: counts.tokens,
        }
    }
}
