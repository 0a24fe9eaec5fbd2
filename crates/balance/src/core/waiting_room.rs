//! The waiting room: requests that wait for a server, first come, first served.
//!
//! Only the first waiter may try to get a lease. It is called when a server may be free, and it
//! keeps its place until it has a lease or leaves, so that no later waiter overtakes it. Then the
//! next waiter is called.
//!
//! There is one exception. A retry may not go to a server on which it has failed. While only such
//! servers are free, the retry is *barred*, and the waiters behind it may pass. Whatever may free a
//! server lifts all bars.
//!
//! A request that does not wait ([`lease`](crate::Balancer::lease)) is not in the room. It may get
//! a server while others wait.
//!
//! The room is under the dispatcher's lock, so that a decision and the wait for it are one step: no
//! server can become free between the two. The middleware and the proxy wait in this one room.

use std::collections::BTreeMap;
use std::hash::Hash;
use std::task::{Poll, Waker};

use super::{Core, Preferred, Sent};
use crate::Refused;

/// The waiters, by ticket; tickets grow with the order of arrival.
#[derive(Debug, Default)]
pub(super) struct WaitingRoom {
    waiters: BTreeMap<u64, Waiter>,
    tickets: u64,
    /// How many waiters are barred.
    barred: usize,
    closed: bool,
}

#[derive(Debug)]
struct Waiter {
    /// `None` from when the waiter is called until it asks again.
    waker: Option<Waker>,
    barred: bool,
}

/// What a request that is ready to wait asks for.
#[derive(Debug)]
pub(crate) struct Ask<K> {
    /// The request's place in the waiting room, if it has one.
    pub(crate) ticket: Option<u64>,
    /// Servers that are not to be chosen.
    pub(crate) tried: Vec<K>,
    /// Servers that it belongs to.
    pub(crate) preferred: Preferred<K>,
    /// How many waiters the room may hold for this request to join them.
    pub(crate) room: usize,
}

/// What came of asking, and the waiter to wake because of it.
pub(crate) struct Turn<K> {
    pub(crate) outcome: Poll<Result<Sent<K>, Refused>>,
    pub(crate) next: Option<Waker>,
}

impl WaitingRoom {
    pub(super) fn len(&self) -> usize {
        self.waiters.len()
    }

    /// Whether every earlier waiter is barred. A request without a ticket comes after all others.
    fn may_try(&self, ticket: Option<u64>) -> bool {
        match ticket {
            Some(ticket) => self.waiters.range(..ticket).all(|(_, it)| it.barred),
            None => self.barred == self.waiters.len(),
        }
    }

    /// Gives the holder of `ticket`, or a newcomer, a place and remembers how to wake it.
    fn sit(&mut self, ticket: Option<u64>, waker: &Waker, barred: bool) -> u64 {
        let ticket = ticket.unwrap_or_else(|| {
            self.tickets += 1;
            self.tickets
        });
        let waker = Some(waker.clone());
        let before = self.waiters.insert(ticket, Waiter { waker, barred });
        self.barred -= usize::from(before.is_some_and(|it| it.barred));
        self.barred += usize::from(barred);
        ticket
    }

    fn leave(&mut self, ticket: u64) {
        let gone = self.waiters.remove(&ticket);
        self.barred -= usize::from(gone.is_some_and(|it| it.barred));
    }

    /// The first waiter that is not barred, unless it has been called already.
    #[inline]
    fn call(&mut self) -> Option<Waker> {
        let first = self.waiters.values_mut().find(|it| !it.barred)?;
        first.waker.take()
    }

    #[inline]
    fn lift_bars(&mut self) {
        if self.barred > 0 {
            self.barred = 0;
            self.waiters.values_mut().for_each(|it| it.barred = false);
        }
    }
}

impl<K: Eq + Hash> Core<K> {
    /// Decides where a request goes if it is its turn and a server may be chosen; otherwise the
    /// request waits, and `waker` is for when it is called.
    pub(crate) fn send_in_turn(&mut self, ask: &mut Ask<K>, waker: &Waker, now: u64) -> Turn<K> {
        if self.room.closed {
            return self.end_wait(ask, Err(Refused::Closed));
        }
        let mut barred = false;
        if self.room.may_try(ask.ticket) {
            match self.send_preferring(&ask.preferred, &ask.tried, now) {
                Ok(sent) => return self.end_wait(ask, Ok(sent)),
                Err(Refused::AllTried) if self.others_are_up(&ask.tried) => barred = true,
                Err(Refused::AllTried) => return self.end_wait(ask, Err(Refused::AllTried)),
                Err(_) => {}
            }
        }
        if ask.ticket.is_none() && self.room.len() >= ask.room {
            return self.end_wait(ask, Err(Refused::QueueFull));
        }
        ask.ticket = Some(self.room.sit(ask.ticket, waker, barred));
        Turn {
            outcome: Poll::Pending,
            // A waiter that is barred lets the next one try.
            next: if barred { self.next_to_wake() } else { None },
        }
    }

    fn end_wait(&mut self, ask: &mut Ask<K>, outcome: Result<Sent<K>, Refused>) -> Turn<K> {
        Turn {
            outcome: Poll::Ready(outcome),
            next: ask.ticket.take().and_then(|it| self.stop_waiting(it)),
        }
    }

    /// Whether a server that was not tried is up, so that waiting for it makes sense.
    fn others_are_up(&self, tried: &[K]) -> bool {
        let mut servers = self.slots.iter().flatten();
        servers.any(|slot| slot.up && !tried.contains(&slot.key))
    }

    /// The holder of `ticket` waits no longer: it has a lease or has left. Hands out the next
    /// waiter to wake, which may find a server too.
    pub(crate) fn stop_waiting(&mut self, ticket: u64) -> Option<Waker> {
        self.room.leave(ticket);
        self.next_to_wake()
    }

    /// A server may have become free: every waiter may try it, in turn.
    #[inline(always)]
    pub(crate) fn wake_after_change(&mut self) -> Option<Waker> {
        self.room.lift_bars();
        self.next_to_wake()
    }

    fn next_to_wake(&mut self) -> Option<Waker> {
        if self.open == 0 {
            return None;
        }
        self.room.call()
    }

    /// Sends all waiters away, and all that will come.
    pub(crate) fn close(&mut self) -> Vec<Waker> {
        self.room.closed = true;
        let waiters = self.room.waiters.values_mut();
        waiters.filter_map(|waiter| waiter.waker.take()).collect()
    }
}
