use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Poll, Waker};

use crate::core::{Ask, Core, LeaseEnd, Sent, Turn};
use crate::poison::unpoisoned;
use crate::{
    Clock, Lease, Options, Outcome, Outcomes, Refused, Samples, Server, State, UnfitServer,
    UpdateCounts, Wait,
};

/// A dispatcher in front of servers that are known by keys of type `K`.
///
/// Clones are the same dispatcher: any number of threads may use them at once. The crate page shows
/// it at work.
pub struct Balancer<K: Eq + Hash>(Arc<Inner<K>>);

struct Inner<K> {
    core: Mutex<Core<K>>,
    clock: Clock,
    outcomes: Outcomes,
}

impl<K: Eq + Hash> Balancer<K> {
    /// A dispatcher in front of `servers`, all of which are taken to be up and idle. The list may
    /// be empty at first.
    ///
    /// # Errors
    ///
    /// If a key occurs twice, a weight is not finite and above 0, or a limit is 0.
    pub fn new(
        options: Options,
        servers: impl IntoIterator<Item = Server<K>>,
    ) -> Result<Self, UnfitServer> {
        let balancer = Self(Arc::new(Inner {
            core: Mutex::new(Core::new(&options)),
            clock: options.clock,
            outcomes: options.outcomes,
        }));
        balancer.update(servers)?;
        Ok(balancer)
    }

    /// Makes `servers` the set of servers. Servers that stay, by their keys, keep all that is known
    /// about them: outstanding requests, tokens, learned speeds and whether they are up.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new); nothing has changed then.
    pub fn update(
        &self,
        servers: impl IntoIterator<Item = Server<K>>,
    ) -> Result<UpdateCounts, UnfitServer> {
        let servers = servers.into_iter().collect();
        let now = self.now();
        let updated = self.core().update(servers, now)?;
        wake(updated.waker);
        drop(updated.left); // after the lock is released: a key may do anything when it is dropped
        Ok(updated.counts)
    }

    /// Adds one server, or gives the server with this key its new weight, limit and trust. Returns
    /// whether the server is new.
    ///
    /// # Errors
    ///
    /// If the weight is not finite and above 0, or the limit is 0.
    pub fn insert(&self, server: Server<K>) -> Result<bool, UnfitServer> {
        let now = self.now();
        let mut core = self.core();
        let is_new = core.insert(server, now)?;
        let waker = core.wake_after_change();
        drop(core);
        wake(waker);
        Ok(is_new)
    }

    /// Removes one server. Returns whether it was there.
    pub fn remove(&self, key: &K) -> bool {
        let removed = self.core().remove_one(key);
        let Some((key, waker)) = removed else {
            return false;
        };
        wake(waker);
        drop(key); // after the lock is released
        true
    }

    /// Decides where a request goes.
    ///
    /// # Errors
    ///
    /// If no server may be chosen. [`wait`](Self::wait) waits instead.
    #[inline]
    pub fn lease(&self) -> Result<Lease<K>, Refused> {
        let now = self.now();
        let mut core = self.core();
        let sent = core.send(now).map(|sent| (core.key_of_new(&sent), sent));
        if sent.is_err() {
            core.count_refusal();
        }
        drop(core);
        sent.map(|(key, sent)| Lease::new(self.clone(), key, sent))
    }

    /// Decides where a request goes, as [`lease`](Self::lease) does, for a caller that sees to it
    /// that every request is [given back](Self::give_back), also when it panics, and knows servers
    /// by their [numbers](Self::number_of).
    ///
    /// # Errors
    ///
    /// If no server may be chosen.
    #[inline(always)]
    pub fn send(&self) -> Result<Sent, Refused> {
        let now = self.now();
        let mut core = self.core();
        let sent = core.send(now);
        if sent.is_err() {
            core.count_refusal();
        }
        sent
    }

    /// The request has ended like this. It must be one of this dispatcher's.
    #[inline]
    pub fn give_back(&self, sent: Sent, end: LeaseEnd) {
        let now = self.now();
        let waker = self.core().finish(&sent, end, now);
        wake(waker);
    }

    /// The lease of a request that was [sent](Self::send), with a dispatcher and a key of its own.
    /// If the server has left, there is none, and the request has been given back.
    pub fn lease_of(&self, sent: Sent) -> Option<Lease<K>> {
        let key = self.core().key_of(&sent);
        if let Some(key) = key {
            return Some(Lease::new(self.clone(), key, sent));
        }
        self.give_back(sent, LeaseEnd::Abandoned);
        None
    }

    /// The number of a server, which no other has until it leaves. Numbers are small.
    pub fn number_of(&self, key: &K) -> Option<u32> {
        self.core().number_of(key)
    }

    /// Decides where a request goes that has failed on the servers `tried`: to none of them.
    ///
    /// # Errors
    ///
    /// If no other server may be chosen.
    pub fn lease_avoiding(&self, tried: &[K]) -> Result<Lease<K>, Refused> {
        let now = self.now();
        let mut core = self.core();
        let sent = core
            .send_avoiding(tried, now)
            .map(|sent| (core.key_of_new(&sent), sent))
            .inspect_err(|_| core.count_refusal());
        drop(core);
        sent.map(|(key, sent)| Lease::new(self.clone(), key, sent))
    }

    /// Waits until a server may be chosen, however long that takes: put a time-out around it, and
    /// [bound](Wait::at_most) how many requests wait.
    pub fn wait(&self) -> Wait<K> {
        Wait::new(self.clone())
    }

    /// Sends every waiter away with [`Refused::Closed`], those that come later included: another
    /// dispatcher has taken this one's place. Leases stay valid.
    pub fn close(&self) {
        let waiters = self.core().close();
        waiters.into_iter().for_each(Waker::wake);
    }

    /// Says that a server is up or down. A server that is down gets no requests, and its token is
    /// void; a server that comes up is taken for idle. An unknown key is ignored: the server has
    /// left.
    pub fn set_up(&self, key: &K, up: bool) {
        let now = self.now();
        let waker = self.core().set_up(key, up, now);
        wake(waker);
    }

    /// Says whether a server takes requests now. A server that does not is treated like a full one:
    /// it gets no requests, but its token stays.
    pub fn set_ready(&self, key: &K, ready: bool) {
        let waker = self.core().set_ready(key, ready);
        wake(waker);
    }

    /// What has been learned about the speed of one server, if it has answered.
    pub fn samples_of(&self, key: &K) -> Option<Samples> {
        let now = self.now();
        self.core().samples_of(key, now)
    }

    /// Takes over what another dispatcher [knew](Self::samples) of a server. Ignored if the server
    /// is not there, has answered already, or the samples cannot be measurements.
    pub fn restore(&self, key: &K, samples: Samples) {
        let now = self.now();
        self.core().restore(key, samples, now);
    }

    /// What an answer with this status says of its server ([`Options::outcomes`]).
    pub fn outcome_of(&self, status: u16) -> Outcome {
        self.0.outcomes.of(status)
    }

    pub(crate) fn poll_lease(
        &self,
        ask: &mut Ask<K>,
        waker: &Waker,
    ) -> Poll<Result<Lease<K>, Refused>> {
        let now = self.now();
        let mut core = self.core();
        let Turn { outcome, next } = core.send_in_turn(ask, waker, now);
        let outcome = outcome.map_ok(|sent| (core.key_of_new(&sent), sent));
        drop(core);
        wake(next);
        outcome.map_ok(|(key, sent)| Lease::new(self.clone(), key, sent))
    }

    pub(crate) fn stop_waiting(&self, ticket: u64) {
        let waker = self.core().stop_waiting(ticket);
        wake(waker);
    }

    #[inline]
    fn now(&self) -> u64 {
        self.0.clock.nanos()
    }

    /// Our own code does not panic under the lock, but a key's `Hash` or `Eq` may. They are called
    /// before anything about a server is changed.
    #[inline]
    fn core(&self) -> MutexGuard<'_, Core<K>> {
        unpoisoned(self.0.core.lock())
    }
}

impl<K: Eq + Hash + Clone> Balancer<K> {
    /// A snapshot of everything, for an admin page, metrics or a test.
    pub fn state(&self) -> State<K> {
        self.core().state()
    }

    /// What has been learned about the servers' speeds, of those that have answered.
    pub fn samples(&self) -> Vec<(K, Samples)> {
        let now = self.now();
        self.core().samples(now)
    }
}

/// Wakes a waiter, always after the lock is released: a waker may run the waiter at once.
fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

impl<K: Eq + Hash> Clone for Balancer<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K: Eq + Hash + fmt::Debug> fmt::Debug for Balancer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.core().fmt(f)
    }
}
