use std::collections::HashSet;
use std::hash::Hash;
use std::num::NonZero;
use std::sync::Arc;
use std::task::Waker;

use filch_policy::dispatch::Dispatch;

use super::Core;
use super::slot::{ABSENT, Slot};
use super::speed::{FASTEST, SLOWEST};
use crate::{Server, Unfit, UnfitServer, UpdateCounts};

/// The result of an update.
pub(crate) struct Updated<K> {
    pub(crate) counts: UpdateCounts,
    /// The keys of the servers that left.
    pub(crate) left: Vec<Arc<K>>,
    pub(crate) waker: Option<Waker>,
}

/// Which servers there are, and which of them may be chosen.
impl<K: Eq + Hash> Core<K> {
    /// Makes `servers` the set of servers. The keys of servers that left are handed out, to be
    /// dropped after the turn.
    pub(crate) fn update(
        &mut self,
        servers: Vec<Server<K>>,
        now: u64,
    ) -> Result<Updated<K>, UnfitServer> {
        let mut keys = HashSet::with_capacity(servers.len());
        for (at, server) in servers.iter().enumerate() {
            let twice = !keys.insert(&server.key);
            let unfit = server.check().err().or(twice.then_some(Unfit::Twice));
            if let Some(unfit) = unfit {
                return Err(UnfitServer { server: at, unfit });
            }
        }
        let leaving = |slot: &Option<Slot<K>>| {
            let slot = slot.as_ref()?;
            (!keys.contains(&*slot.key)).then(|| slot.key.clone())
        };
        let left: Vec<_> = self.slots.iter().filter_map(leaving).collect();
        let mut counts = UpdateCounts::default();
        for key in &left {
            counts.left += usize::from(self.remove(key).is_some());
        }
        for server in servers {
            if self.add(server, now) {
                counts.joined += 1;
            } else {
                counts.stayed += 1;
            }
        }
        Ok(Updated {
            counts,
            left,
            waker: self.wake_after_change(),
        })
    }

    /// Adds a server, or configures the one that has this key. Returns whether it is new.
    fn add(&mut self, server: Server<K>, now: u64) -> bool {
        if let Some(&at) = self.by_key.get(&server.key) {
            let slot = self.slot_mut(at);
            slot.configure(server.weight, server.limit, server.tokens);
            self.compute_speed(at);
            self.refresh(at);
            return false;
        }
        self.generations = self.generations.wrapping_add(1);
        let generation = NonZero::new(self.generations).unwrap_or(NonZero::<u32>::MIN);
        let slot = Slot::new(server, generation, now);
        let at = self.vacant.pop().unwrap_or(self.slots.len() as u32);
        self.by_key.insert(slot.key.clone(), at);
        if at as usize == self.slots.len() {
            self.slots.push(None);
            self.board.add(at);
        }
        self.slots[at as usize] = Some(slot);
        self.is_calm_no_more();
        self.up += 1;
        self.compute_speed(at);
        if self.spec.takes_turns() {
            self.join(at);
        }
        self.refresh(at);
        true
    }

    /// [`update`](Self::update) for one server that is there or joins.
    pub(crate) fn insert(&mut self, server: Server<K>, now: u64) -> Result<bool, UnfitServer> {
        match server.check() {
            Ok(()) => Ok(self.add(server, now)),
            Err(unfit) => Err(UnfitServer { server: 0, unfit }),
        }
    }

    /// Removes a server, and hands out its key if it was there, and the waiter to wake.
    pub(crate) fn remove_one(&mut self, key: &K) -> Option<(Arc<K>, Option<Waker>)> {
        let at = *self.by_key.get(key)?;
        let key = self.remove(key)?;
        Some((key, self.wake_after_loss(at)))
    }

    /// Removes a server, and hands out its key if it was there.
    fn remove(&mut self, key: &K) -> Option<Arc<K>> {
        let (key, at) = self.by_key.remove_entry(key)?;
        let slot = self.slot_mut(at);
        let (was_up, faults) = (slot.up, slot.faults);
        slot.up = false;
        self.faults.forget(faults);
        self.up -= usize::from(was_up);
        self.refresh(at);
        if self.slot(at).place != ABSENT {
            self.leave(at);
        }
        self.slots[at as usize] = None;
        self.vacant.push(at);
        Some(key)
    }

    /// We hold no token of a server that is down. A server that comes up is taken for idle, unless
    /// it still has requests of ours.
    pub(crate) fn set_up(&mut self, key: &K, up: bool, now: u64) -> Option<Waker> {
        let at = *self.by_key.get(key)?;
        let slot = self.slot_mut(at);
        if slot.up == up {
            return None;
        }
        slot.up = up;
        slot.token = up && slot.outstanding == 0;
        slot.warmth = 0;
        slot.since = now;
        slot.touched = now;
        self.up = if up { self.up + 1 } else { self.up - 1 };
        self.refresh(at);
        if up {
            self.wake_after_change()
        } else {
            self.wake_after_loss(at)
        }
    }

    /// A server that is not ready gets no requests, but its token stays.
    pub(crate) fn set_ready(&mut self, key: &K, ready: bool) -> Option<Waker> {
        let at = *self.by_key.get(key)?;
        let slot = self.slot_mut(at);
        if slot.ready == ready {
            return None;
        }
        slot.ready = ready;
        self.refresh(at);
        if ready {
            self.wake_after_change()
        } else {
            self.wake_after_loss(at)
        }
    }

    /// Brings the policy in line with whether the server may be chosen.
    #[inline(always)]
    pub(super) fn refresh(&mut self, at: u32) {
        let slot = self.slot(at);
        let open = slot.may_be_chosen();
        if slot.open != open {
            self.set_open(at, open);
        }
        self.show_on_board(at);
    }

    fn set_open(&mut self, at: u32, open: bool) {
        let turns = self.spec.takes_turns();
        let slot = self.slot_mut(at);
        slot.open = open;
        let (token, place) = (slot.token, slot.place as usize);
        if open {
            self.open += 1;
            if !turns {
                self.join(at);
            } else if token {
                self.tell_token(at);
            }
        } else {
            self.open -= 1;
            if turns {
                self.policy.withdraw(place);
            } else {
                self.leave(at);
            }
        }
    }

    fn join(&mut self, at: u32) {
        let place = self.members.len();
        let slot = self.slots[at as usize].as_mut().expect("a server's slot");
        slot.place = place as u32;
        let holds = slot.open && slot.token;
        self.members.push(at);
        self.queues.push(slot.outstanding);
        self.speeds.push(slot.speed);
        self.at_once.push(slot.at_once);
        let view = super::view(&self.queues, &self.speeds, &self.at_once);
        self.policy.server_joined(&view);
        if !holds {
            self.policy.withdraw(place);
        }
    }

    fn leave(&mut self, at: u32) {
        let place = self.slot(at).place as usize;
        self.policy.server_left(place, self.members.len());
        self.members.swap_remove(place);
        self.queues.swap_remove(place);
        self.speeds.swap_remove(place);
        self.at_once.swap_remove(place);
        self.slot_mut(at).place = ABSENT;
        if let Some(&moved) = self.members.get(place) {
            self.slot_mut(moved).place = place as u32;
        }
    }

    /// Computes the server's speed from what is known now.
    pub(super) fn compute_speed(&mut self, at: u32) {
        let learned = self.speeds_are_learned;
        let typical = self.typical.service();
        let slot = self.slot_mut(at);
        slot.speed = if learned {
            slot.learned.speed(typical / slot.weight, slot.believed)
        } else {
            slot.weight.clamp(SLOWEST, FASTEST)
        };
        self.show(at);
    }
}
