use std::fmt;
use std::hash::Hash;
use std::sync::Arc;
use std::task::{Poll, Waker};
#[cfg(all(feature = "proxy", unix))]
use std::time::Instant;

use filch_relay::{Relay, Turn};

use crate::board::Board;
use crate::core::{Alone, Ask, Change, Core, LeaseEnd, Sent, Tried};
use crate::{
    Clock, Lease, Options, Outcome, Outcomes, Refused, Samples, Server, State, UnfitServer,
    UpdateCounts, Wait,
};

/// A dispatcher in front of servers that are known by keys of type `K`.
///
/// Clones are the same dispatcher: any number of threads may use them at once. The crate page shows
/// it at work.
///
/// Any method may wake waiters that other threads have freed a server for. So none is to be called
/// under a lock that a waker takes.
pub struct Balancer<K: Eq + Hash>(Arc<Inner<K>>);

struct Inner<K: Eq + Hash> {
    core: Relay<Core<K>>,
    board: Arc<Board>,
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
        let core = Core::new(&options);
        let balancer = Self(Arc::new(Inner {
            board: core.board().clone(),
            core: Relay::new(core),
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
        drop(updated.left); // after the turn: a key may do anything when it is dropped
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
        drop(key); // after the turn
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
        match self.0.core.turn_soon() {
            Some(core) => decide(core, now),
            None => self.send_alone(now),
        }
    }

    /// Another thread has the dispatcher for longer than a decision may take.
    #[cold]
    fn send_alone(&self, now: u64) -> Result<Sent, Refused> {
        let Some((alone, sent)) = Alone::send(&self.0.board, now) else {
            return decide(self.core(), now);
        };
        self.0.core.leave(Change::Alone(alone));
        Ok(sent)
    }

    /// The request has ended like this. It must be one of this dispatcher's. This waits for no
    /// other thread, and if a waiter's waker panics, that is not a panic of this one.
    #[inline]
    pub fn give_back(&self, sent: Sent, end: LeaseEnd) {
        let now = self.now();
        self.0.core.leave(Change::End { sent, end, now });
    }

    /// The request has ended like this, at a moment of the system's clock.
    #[cfg(all(feature = "proxy", unix))]
    pub(crate) fn give_back_at(&self, now: Instant, sent: Sent, end: LeaseEnd) {
        let now = self.0.clock.nanos_at(now);
        self.0.core.leave(Change::End { sent, end, now });
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
        let Tried { outcome, next } = core.send_in_turn(ask, waker, now);
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

    /// Our own code does not panic during a turn, but a key's `Hash` or `Eq` may. They are called
    /// before anything about a server is changed.
    #[inline]
    fn core(&self) -> Turn<'_, Core<K>> {
        self.0.core.turn()
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

/// A decision of the policy's.
#[inline(always)]
fn decide<K: Eq + Hash>(mut core: Turn<'_, Core<K>>, now: u64) -> Result<Sent, Refused> {
    let sent = core.send(now);
    if sent.is_err() {
        core.count_refusal();
    }
    sent
}

/// Wakes a waiter, always after the turn: a waker may run the waiter at once.
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

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// What `work` returns on a thread of its own while this thread has the dispatcher.
    fn meanwhile<T: Send>(balancer: &Balancer<u32>, work: impl FnOnce() -> T + Send) -> T {
        let turn = balancer.core();
        let result = thread::scope(|scope| scope.spawn(work).join());
        drop(turn);
        result.expect("it does not panic")
    }

    fn balancer(policy: &str, servers: impl IntoIterator<Item = Server<u32>>) -> Balancer<u32> {
        let options = Options::of(policy.parse().expect("a policy"));
        Balancer::new(options, servers).expect("fit servers")
    }

    fn answered() -> LeaseEnd {
        LeaseEnd::Answered(Outcome::Good, crate::Told::Silent)
    }

    /// Each server has answered so often that it is new no more.
    fn warm(balancer: &Balancer<u32>) {
        for _ in 0..100 {
            let sent: Vec<_> = (0..30)
                .map(|_| balancer.send().expect("a server"))
                .collect();
            for sent in sent {
                balancer.give_back(sent, answered());
            }
        }
    }

    #[test]
    fn nobody_waits_for_a_thread_that_has_the_dispatcher() {
        for policy in ["idle-fastest(sed)", "pi", "round-robin", "jsq"] {
            let balancer = balancer(policy, (0..10).map(Server::new));
            warm(&balancer);
            let before = balancer.state();
            let sent: Vec<_> = meanwhile(&balancer, || {
                let sent = (0..30).map(|_| balancer.send().expect("a server"));
                sent.collect()
            });
            let state = balancer.state();
            assert_eq!(
                (
                    state.in_flight,
                    state.decisions - before.decisions,
                    state.alone
                ),
                (30, 30, 30)
            );
            for server in &state.servers {
                let theirs = sent.iter().filter(|it| it.server() == server.key);
                assert_eq!(server.outstanding as usize, theirs.count(), "{policy}");
            }
            let (some, others) = (sent.into_iter(), balancer.send().expect("a server"));
            meanwhile(&balancer, || {
                some.for_each(|sent| balancer.give_back(sent, answered()));
            });
            balancer.give_back(others, answered());
            let state = balancer.state();
            assert_eq!((state.in_flight, state.alone), (0, 30), "{policy}");
            assert!(state.servers.iter().all(|it| it.outstanding == 0));
            let served: u64 = state.servers.iter().map(|it| it.served).sum();
            let before: u64 = before.servers.iter().map(|it| it.served).sum();
            assert_eq!(served - before, 31);
        }
    }

    /// A request that was sent alone may come back unsent, and its server may have left by then.
    #[test]
    fn requests_that_were_sent_alone_end_like_others() {
        let balancer = balancer("pi", (0..2).map(Server::new));
        warm(&balancer);
        let before = balancer.state().decisions;
        let ends = [LeaseEnd::Unsent, LeaseEnd::Failed, LeaseEnd::Abandoned];
        for end in ends {
            meanwhile(&balancer, || {
                let sent = balancer.send().expect("a server");
                balancer.give_back(sent, end);
            });
        }
        let state = balancer.state();
        assert_eq!(
            (state.in_flight, state.decisions - before, state.alone),
            (0, 2, 3)
        );

        warm(&balancer);
        let sent = meanwhile(&balancer, || balancer.send().expect("a server"));
        assert!(balancer.remove(&sent.server()));
        balancer.insert(Server::new(7)).expect("fit"); // has the slot now
        balancer.give_back(sent, answered());
        let state = balancer.state();
        assert_eq!(state.in_flight, 0);
        assert!(state.servers.iter().all(|it| it.outstanding == 0));
        let newcomer = state.servers.iter().find(|it| it.key == 7);
        assert_eq!(newcomer.expect("it is there").served, 0);
    }

    /// The server leaves before the dispatcher hears of the request.
    #[test]
    fn a_server_may_leave_before_the_request_is_counted() {
        let balancer = balancer("pi", [Server::new(0)]);
        warm(&balancer);
        let mut turn = balancer.core();
        let sent = thread::scope(|scope| scope.spawn(|| balancer.send().unwrap()).join().unwrap());
        assert!(turn.remove_one(&0).is_some());
        drop(turn);
        assert_eq!(balancer.state().in_flight, 1);
        balancer.give_back(sent, answered());
        assert_eq!(balancer.state().in_flight, 0);
    }

    /// What only the dispatcher can promise is waited for: limits, and servers that get few
    /// requests because they are down, not ready, new or failing.
    #[test]
    fn alone_goes_only_where_any_request_may_go() {
        let balancer = balancer("idle-fastest(sed)", (0..7).map(Server::new));
        warm(&balancer);
        balancer.insert(Server::new(0).limit(1)).expect("fit");
        balancer.set_up(&1, false);
        balancer.set_ready(&2, false);
        balancer.remove(&3);
        balancer.insert(Server::new(7)).expect("fit"); // new
        while balancer.state().servers.iter().all(|it| it.trust == 1.0) {
            let sent = balancer.send().expect("a server");
            let failed = Some(sent.server()) == balancer.number_of(&4);
            let end = if failed { LeaseEnd::Failed } else { answered() };
            balancer.give_back(sent, end);
        }
        balancer.remove(&7);
        balancer.insert(Server::new(7)).expect("fit"); // new again
        let numbers = [5, 6].map(|key| balancer.number_of(&key).expect("it is there"));
        meanwhile(&balancer, || {
            for _ in 0..60 {
                let sent = balancer.send().expect("a server");
                assert!(numbers.contains(&sent.server()));
                balancer.give_back(sent, LeaseEnd::Unsent);
            }
        });
        assert_eq!(balancer.state().alone, 60);
    }

    /// Otherwise a thread that has the dispatcher would never be done with the others' requests.
    #[test]
    fn only_so_many_requests_are_sent_alone() {
        let balancer = balancer("jsq", (0..10).map(Server::new));
        warm(&balancer);
        let turn = balancer.core();
        thread::scope(|scope| {
            let all = scope.spawn(|| (0..500).for_each(|_| drop(balancer.send().unwrap())));
            thread::sleep(std::time::Duration::from_millis(20));
            assert!(!all.is_finished());
            drop(turn);
            all.join().unwrap();
        });
        let state = balancer.state();
        assert_eq!(state.in_flight, 500);
        assert!((1..500).contains(&state.alone), "{}", state.alone);
    }

    #[test]
    fn a_limit_is_waited_for() {
        let balancer = balancer("jsq", [Server::new(0).limit(1)]);
        let turn = balancer.core();
        thread::scope(|scope| {
            let sent = scope.spawn(|| balancer.send());
            drop(turn);
            assert!(sent.join().unwrap().is_ok());
        });
        assert_eq!(balancer.send().unwrap_err(), Refused::Full);
        assert_eq!(balancer.state().alone, 0);
    }

    /// A waiter is called by an end that was left, once the dispatcher is free.
    #[test]
    fn an_end_that_is_left_wakes_a_waiter() {
        let balancer = balancer("jsq", [Server::new(0).limit(1)]);
        let sent = balancer.send().expect("a server");
        let mut ask = Ask {
            ticket: None,
            tried: Vec::new(),
            preferred: Default::default(),
            room: 1,
        };
        let (waker, woken) = counting_waker();
        assert!(balancer.poll_lease(&mut ask, &waker).is_pending());
        meanwhile(&balancer, || balancer.give_back(sent, answered()));
        assert_eq!(woken.load(std::sync::atomic::Ordering::Relaxed), 1);
        assert!(balancer.poll_lease(&mut ask, &waker).is_ready());
    }

    /// A waker that panics belongs to another request: whoever ends the turn is not harmed.
    #[test]
    fn a_waker_that_panics_harms_nobody_else() {
        struct Panics;
        impl std::task::Wake for Panics {
            fn wake(self: Arc<Self>) {
                panic!("a waker panics");
            }
        }
        let balancer = balancer("jsq", (0..2).map(|key| Server::new(key).limit(1)));
        let sent = [0, 1].map(|_| balancer.send().expect("a server"));
        let mut asks = [0, 1].map(|_| Ask {
            ticket: None,
            tried: Vec::new(),
            preferred: Default::default(),
            room: 2,
        });
        let (waker, woken) = counting_waker();
        let wakers = [Waker::from(Arc::new(Panics)), waker];
        for (ask, waker) in asks.iter_mut().zip(&wakers) {
            assert!(balancer.poll_lease(ask, waker).is_pending());
        }
        let ticket = asks[0].ticket.expect("it waits");
        meanwhile(&balancer, || {
            sent.into_iter()
                .for_each(|it| balancer.give_back(it, answered()));
        });
        balancer.stop_waiting(ticket);
        assert_eq!(woken.load(std::sync::atomic::Ordering::Relaxed), 1);
        assert!(balancer.send().is_ok());
    }

    fn counting_waker() -> (Waker, Arc<std::sync::atomic::AtomicU32>) {
        use std::sync::atomic::{AtomicU32, Ordering};
        struct Count(Arc<AtomicU32>);
        impl std::task::Wake for Count {
            fn wake(self: Arc<Self>) {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        let count = Arc::new(AtomicU32::new(0));
        (Waker::from(Arc::new(Count(count.clone()))), count)
    }
}
