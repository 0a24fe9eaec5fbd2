//! The waiting room: requests that wait for a server, first come, first served.
//!
//! Only the first waiter may try to get a lease. It is called when a server may be free, and it
//! keeps its place until it has a lease or leaves, so that no later waiter overtakes it. Then the
//! next waiter is called.
//!
//! There are two exceptions. A retry may not go to a server on which it has failed, and a request
//! that belongs to some servers waits for these. While only other servers are free, such a waiter
//! is *barred*, and the waiters behind it may pass. Whatever may free a server lifts the bar of
//! every retry. The bar of a request that belongs to servers stays as long as all of these are
//! full: if it were lifted whenever any server falls free, all sessions of one slow server would be
//! woken in turn, and for that time newcomers would find the room full and the free server out of
//! reach.
//!
//! A request that does not wait ([`lease`](crate::Balancer::lease)) is not in the room. It may get
//! a server while others wait.
//!
//! The room is part of the dispatcher's state, so that a decision and the wait for it are one step:
//! no server can become free between the two. The middleware and the proxy wait in this one room.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::task::{Poll, Waker};

use super::slot::Slot;
use super::{Core, Preferred, Sent};
use crate::Refused;

/// The waiters, by ticket; tickets grow with the order of arrival.
#[derive(Debug, Default)]
pub(super) struct WaitingRoom {
    waiters: BTreeMap<u64, Waiter>,
    tickets: u64,
    /// How many waiters are barred, and how many of these belong to no server.
    barred: usize,
    barred_retries: usize,
    /// How many waiters belong to the server in a slot.
    awaited: HashMap<u32, usize>,
    closed: bool,
}

#[derive(Debug)]
struct Waiter {
    /// `None` from when the waiter is called until it asks again.
    waker: Option<Waker>,
    barred: bool,
    /// The slots of the servers that it waits for; none if others will do.
    belongs_to: Vec<u32>,
}

impl Waiter {
    fn is_barred_retry(&self) -> bool {
        self.barred && self.belongs_to.is_empty()
    }

    /// Whether it waits for servers that are all `full`.
    fn is_bound(&self, full: impl Fn(u32) -> bool) -> bool {
        !self.belongs_to.is_empty() && self.belongs_to.iter().all(|&at| full(at))
    }
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
pub(crate) struct Tried {
    pub(crate) outcome: Poll<Result<Sent, Refused>>,
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

    /// Gives the holder of `ticket`, or a newcomer, a place.
    fn sit(&mut self, ticket: Option<u64>, waiter: Waiter) -> u64 {
        let ticket = ticket.unwrap_or_else(|| {
            self.tickets += 1;
            self.tickets
        });
        self.barred += usize::from(waiter.barred);
        self.barred_retries += usize::from(waiter.is_barred_retry());
        for &at in &waiter.belongs_to {
            *self.awaited.entry(at).or_default() += 1;
        }
        if let Some(before) = self.waiters.insert(ticket, waiter) {
            self.forget(&before);
        }
        ticket
    }

    fn leave(&mut self, ticket: u64) {
        if let Some(gone) = self.waiters.remove(&ticket) {
            self.forget(&gone);
        }
    }

    /// Counts a waiter no longer.
    fn forget(&mut self, waiter: &Waiter) {
        self.barred -= usize::from(waiter.barred);
        self.barred_retries -= usize::from(waiter.is_barred_retry());
        for at in &waiter.belongs_to {
            if let Entry::Occupied(mut count) = self.awaited.entry(*at) {
                *count.get_mut() -= 1;
                if *count.get() == 0 {
                    count.remove();
                }
            }
        }
    }

    /// The first waiter that is not barred, unless it has been called already. Those before it that
    /// could only find that their servers are `full` again are barred without being woken.
    #[inline]
    fn call(&mut self, full: impl Fn(u32) -> bool) -> Option<Waker> {
        if self.barred == self.waiters.len() {
            return None;
        }
        for waiter in self.waiters.values_mut().filter(|it| !it.barred) {
            if !waiter.is_bound(&full) {
                return waiter.waker.take();
            }
            waiter.barred = true;
            self.barred += 1;
        }
        None
    }

    /// The server in slot `at` may be free. Lifts the bars of all retries, and of waiters that
    /// belong to servers of which not all are `full`.
    #[inline]
    fn lift_bars(&mut self, at: u32, full: impl Fn(u32) -> bool) {
        if self.barred == 0 || (self.barred_retries == 0 && !self.awaited.contains_key(&at)) {
            return;
        }
        let barred = self.waiters.values_mut().filter(|it| it.barred);
        for waiter in barred.filter(|it| !it.is_bound(&full)) {
            waiter.barred = false;
            self.barred -= 1;
        }
        self.barred_retries = 0;
    }

    /// Lifts the bars of waiters that belong to the server in this slot, and of all retries: it may
    /// have been the last that they could wait for.
    fn lift_bars_of_lost(&mut self, at: u32) {
        let barred = self.waiters.values_mut().filter(|it| it.barred);
        for waiter in barred.filter(|it| it.belongs_to.is_empty() || it.belongs_to.contains(&at)) {
            waiter.barred = false;
            self.barred -= 1;
        }
        self.barred_retries = 0;
    }

    /// Lifts all bars. The servers may be others than before.
    fn forget_bars(&mut self) {
        for waiter in self.waiters.values_mut() {
            waiter.barred = false;
            waiter.belongs_to.clear();
        }
        self.awaited.clear();
        self.barred = 0;
        self.barred_retries = 0;
    }
}

impl<K: Eq + Hash> Core<K> {
    /// Decides where a request goes if it is its turn and a server may be chosen; otherwise the
    /// request waits, and `waker` is for when it is called.
    pub(crate) fn send_in_turn(&mut self, ask: &mut Ask<K>, waker: &Waker, now: u64) -> Tried {
        if self.room.closed {
            return self.end_wait(ask, Err(Refused::Closed));
        }
        let (mut barred, mut belongs_to) = (false, Vec::new());
        if self.room.may_try(ask.ticket) {
            match self.send_preferring(&ask.preferred, &ask.tried, now) {
                Ok(sent) => return self.end_wait(ask, Ok(sent)),
                Err(Refused::AllTried) if self.others_work(&ask.tried) => {
                    barred = true;
                    belongs_to = self.candidates(&ask.preferred, &ask.tried);
                }
                Err(Refused::AllTried) => return self.end_wait(ask, Err(Refused::AllTried)),
                Err(_) => {}
            }
        }
        if ask.ticket.is_none() && self.room.len() >= ask.room {
            return self.end_wait(ask, Err(Refused::QueueFull));
        }
        let waiter = Waiter {
            waker: Some(waker.clone()),
            barred,
            belongs_to,
        };
        ask.ticket = Some(self.room.sit(ask.ticket, waiter));
        Tried {
            outcome: Poll::Pending,
            // A waiter that is barred lets the next one try.
            next: if barred { self.next_to_wake() } else { None },
        }
    }

    fn end_wait(&mut self, ask: &mut Ask<K>, outcome: Result<Sent, Refused>) -> Tried {
        Tried {
            outcome: Poll::Ready(outcome),
            next: ask.ticket.take().and_then(|it| self.stop_waiting(it)),
        }
    }

    /// Whether a server that was not tried works, so that waiting for it makes sense. One that is
    /// up and takes no requests, such as a backup, may not take any for long.
    fn others_work(&self, tried: &[K]) -> bool {
        let mut servers = self.slots.iter().flatten();
        servers.any(|slot| slot.up && slot.ready && !tried.contains(&slot.key))
    }

    /// The holder of `ticket` waits no longer: it has a lease or has left. Hands out the next
    /// waiter to wake, which may find a server too.
    pub(crate) fn stop_waiting(&mut self, ticket: u64) -> Option<Waker> {
        self.room.leave(ticket);
        self.next_to_wake()
    }

    /// The server in this slot may have become free: every waiter that may have it tries it, in
    /// turn.
    #[inline(always)]
    pub(super) fn wake_after_finish(&mut self, at: u32) -> Option<Waker> {
        let slots = &self.slots;
        self.room.lift_bars(at, |at| is_full(slots, at));
        self.next_to_wake()
    }

    /// Servers may have come, left or become free: every waiter may try them, in turn.
    pub(crate) fn wake_after_change(&mut self) -> Option<Waker> {
        self.room.forget_bars();
        self.next_to_wake()
    }

    /// The server in this slot gets no more requests: those that wait for it alone need another, or
    /// one that they have tried.
    pub(super) fn wake_after_loss(&mut self, at: u32) -> Option<Waker> {
        if self.room.barred == 0 {
            return None;
        }
        self.room.lift_bars_of_lost(at);
        self.next_to_wake()
    }

    #[inline]
    fn next_to_wake(&mut self) -> Option<Waker> {
        if self.open == 0 || self.room.waiters.is_empty() {
            return None;
        }
        let slots = &self.slots;
        self.room.call(|at| is_full(slots, at))
    }

    /// Sends all waiters away, and all that will come.
    pub(crate) fn close(&mut self) -> Vec<Waker> {
        self.room.closed = true;
        let waiters = self.room.waiters.values_mut();
        waiters.filter_map(|waiter| waiter.waker.take()).collect()
    }
}

/// Whether the server in this slot works but is at its limit.
fn is_full<K>(slots: &[Option<Slot<K>>], at: u32) -> bool {
    let slot = slots.get(at as usize).and_then(Option::as_ref);
    slot.is_some_and(|slot| slot.up && slot.ready && !slot.open)
}
