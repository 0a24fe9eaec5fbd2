use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use crate::core::{Core, End, Sent};
use crate::state::{Change, State};
use crate::{Clock, Lease, Options, Refused, Server, StartError, Wait};

/// A dispatcher in front of servers that are known by keys of type `K`.
///
/// Clones are the same dispatcher: any number of threads may use them at once. The crate page shows
/// it at work.
pub struct Balancer<K: Eq + Hash>(Arc<Shared<K>>);

struct Shared<K> {
    core: Mutex<Core<K>>,
    clock: Clock,
}

impl<K: Eq + Hash> Balancer<K> {
    /// A dispatcher in front of `servers`, all of which are taken to be up and idle. There may be none
    /// at first.
    ///
    /// # Errors
    ///
    /// If a key is there twice, a weight is not finite and above 0, or a limit is 0.
    pub fn new(
        options: Options,
        servers: impl IntoIterator<Item = Server<K>>,
    ) -> Result<Self, StartError> {
        let balancer = Self(Arc::new(Shared {
            core: Mutex::new(Core::new(&options)),
            clock: options.clock,
        }));
        balancer.update(servers)?;
        Ok(balancer)
    }

    /// Makes `servers` the set of servers. Those that stay, by their keys, keep all that is known
    /// of them: outstanding requests, tokens, learned speeds and whether they are up.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new); nothing has changed then.
    pub fn update(
        &self,
        servers: impl IntoIterator<Item = Server<K>>,
    ) -> Result<Change, StartError> {
        let servers = servers.into_iter().collect();
        let now = self.now();
        let updated = self.core().update(servers, now)?;
        wake(updated.waker);
        drop(updated.left); // and not under the lock: a key may do anything when it is dropped
        Ok(updated.change)
    }

    /// Adds one server, or gives the one with this key its new weight, limit and trust; says whether it
    /// is new.
    ///
    /// # Errors
    ///
    /// If the weight is not finite and above 0, or the limit is 0.
    pub fn insert(&self, server: Server<K>) -> Result<bool, StartError> {
        let now = self.now();
        let mut core = self.core();
        let is_new = core.insert(server, now)?;
        let waker = core.next_to_wake();
        drop(core);
        wake(waker);
        Ok(is_new)
    }

    /// Takes one server out; says whether it was there.
    pub fn remove(&self, key: &K) -> bool {
        let removed = self.core().remove(key);
        removed.is_some()
    }

    /// Decides where a request goes.
    ///
    /// # Errors
    ///
    /// If no server may be chosen. [`wait`](Self::wait) waits instead.
    pub fn lease(&self) -> Result<Lease<K>, Refused> {
        let now = self.now();
        let mut core = self.core();
        let sent = core.send(now).inspect_err(|_| core.count_refusal());
        drop(core);
        Ok(Lease::new(self.clone(), sent?))
    }

    /// Decides where a request goes that has failed elsewhere: to none of the servers `tried`.
    ///
    /// # Errors
    ///
    /// If no other server may be chosen.
    pub fn lease_avoiding(&self, tried: &[K]) -> Result<Lease<K>, Refused> {
        let now = self.now();
        let mut core = self.core();
        let sent = core
            .send_avoiding(tried, now)
            .inspect_err(|_| core.count_refusal());
        drop(core);
        Ok(Lease::new(self.clone(), sent?))
    }

    /// Waits until a server may be chosen, however long that takes: put a time-out around it, and a
    /// bound on how many wait ([`State::waiting`]).
    pub fn wait(&self) -> Wait<K> {
        Wait::new(self.clone())
    }

    /// Says that a server is up or down. One that is down gets nothing, and its token is void; one
    /// that comes up is taken for idle. A key that is not there is ignored: the server has left.
    pub fn set_up(&self, key: &K, up: bool) {
        let now = self.now();
        let waker = self.core().set_up(key, up, now);
        wake(waker);
    }

    /// Says that a server takes requests now or does not. As if it were full: it gets nothing, but its
    /// token stays.
    pub fn set_ready(&self, key: &K, ready: bool) {
        let waker = self.core().set_ready(key, ready);
        wake(waker);
    }

    pub(crate) fn finish(&self, sent: &Sent<K>, end: End) {
        let now = self.now();
        let waker = self.core().finish(sent, end, now);
        wake(waker);
    }

    pub(crate) fn lease_or_wait(
        &self,
        ticket: Option<u64>,
        waker: &Waker,
    ) -> Result<Lease<K>, u64> {
        let now = self.now();
        let mut core = self.core();
        let sent = core.is_first(ticket).then(|| core.send(now).ok());
        match sent.flatten() {
            Some(sent) => {
                let next = ticket.and_then(|ticket| core.stop_waiting(ticket));
                drop(core);
                wake(next);
                Ok(Lease::new(self.clone(), sent))
            }
            None => Err(core.wait(ticket, waker)),
        }
    }

    pub(crate) fn stop_waiting(&self, ticket: u64) {
        let waker = self.core().stop_waiting(ticket);
        wake(waker);
    }

    fn now(&self) -> u64 {
        self.0.clock.nanos()
    }

    /// Nothing of ours panics under the lock, but a key's `Hash` or `Eq` may. They are asked before
    /// anything about a server is changed, so what is known of each is whole even then.
    fn core(&self) -> MutexGuard<'_, Core<K>> {
        self.0.core.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash + Clone> Balancer<K> {
    /// A picture of everything, for an admin page, metrics or a test.
    pub fn state(&self) -> State<K> {
        self.core().state()
    }
}

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
