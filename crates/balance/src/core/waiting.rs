use std::collections::BTreeMap;
use std::hash::Hash;
use std::task::Waker;

use super::Core;

/// Those who wait for a server that may be chosen, in the order in which they came.
///
/// Whoever is woken leaves the queue, tries, and either gets a lease or comes back with its ticket, so
/// that it keeps its turn. Who is woken and goes away without trying passes the call on.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    tickets: u64,
    queue: BTreeMap<u64, Waker>,
}

impl<K: Eq + Hash> Core<K> {
    /// Waits with `ticket`, or with a new one.
    pub(crate) fn wait(&mut self, ticket: Option<u64>, waker: &Waker) -> u64 {
        let waiting = &mut self.waiting;
        let ticket = ticket.unwrap_or_else(|| {
            waiting.tickets += 1;
            waiting.tickets
        });
        waiting.queue.insert(ticket, waker.clone());
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
        self.waiting.queue.pop_first().map(|(_, waker)| waker)
    }

    pub(crate) fn waiters(&self) -> usize {
        self.waiting.queue.len()
    }
}
