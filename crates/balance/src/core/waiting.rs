use std::collections::BTreeMap;
use std::hash::Hash;
use std::task::Waker;

use super::Core;

/// Those who wait for a server that may be chosen, in the order in which they came.
///
/// Only the first may try. It is called when a server is free, and stays in the queue until it has a lease or
/// goes away, so that nobody who comes meanwhile is before it; then the next is called.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    tickets: u64,
    /// No waker if it has been called already.
    queue: BTreeMap<u64, Option<Waker>>,
}

impl<K: Eq + Hash> Core<K> {
    /// Waits with `ticket`, or with a new one.
    pub(crate) fn wait(&mut self, ticket: Option<u64>, waker: &Waker) -> u64 {
        let waiting = &mut self.waiting;
        let ticket = ticket.unwrap_or_else(|| {
            waiting.tickets += 1;
            waiting.tickets
        });
        waiting.queue.insert(ticket, Some(waker.clone()));
        ticket
    }

    /// The holder of `ticket` waits no longer: it has a lease or has gone away. If others could
    /// have one too, the next is to be woken.
    pub(crate) fn stop_waiting(&mut self, ticket: u64) -> Option<Waker> {
        self.waiting.queue.remove(&ticket);
        self.next_to_wake()
    }

    pub(crate) fn next_to_wake(&mut self) -> Option<Waker> {
        if self.open == 0 {
            return None;
        }
        self.waiting.queue.first_entry()?.get_mut().take()
    }

    /// Whether nobody else came before the holder of `ticket`, or a newcomer without one.
    pub(crate) fn is_first(&self, ticket: Option<u64>) -> bool {
        let first = self.waiting.queue.keys().next().copied();
        first.is_none() || first == ticket
    }

    pub(crate) fn waiters(&self) -> usize {
        self.waiting.queue.len()
    }
}
