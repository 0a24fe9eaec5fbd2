//! Requests that wait for a server: first come, first served, whatever happens to the others.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use filch_balance::{Balancer, Lease, Options, Refused, Server, Speeds, Told, Wait};
use proptest::prelude::*;

#[derive(Default)]
struct Calls(AtomicUsize);

impl Wake for Calls {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// A request that waits, and how often it was called.
struct Waiter {
    wait: Pin<Box<Wait<char>>>,
    calls: Arc<Calls>,
}

impl Waiter {
    fn new(wait: Wait<char>) -> Self {
        Self {
            wait: Box::pin(wait),
            calls: Arc::default(),
        }
    }

    fn poll(&mut self) -> Poll<Result<Lease<char>, Refused>> {
        let waker = Waker::from(self.calls.clone());
        self.wait.as_mut().poll(&mut Context::from_waker(&waker))
    }

    #[track_caller]
    fn must_wait(&mut self) {
        assert!(self.poll().is_pending(), "there is no server for it");
    }

    #[track_caller]
    fn must_get(&mut self) -> Lease<char> {
        match self.poll() {
            Poll::Ready(Ok(lease)) => lease,
            other => panic!("a server is free: {other:?}"),
        }
    }

    #[track_caller]
    fn must_fail(&mut self) -> Refused {
        match self.poll() {
            Poll::Ready(Err(refused)) => refused,
            other => panic!("it cannot get a server: {other:?}"),
        }
    }

    fn calls(&self) -> usize {
        self.calls.0.load(Ordering::SeqCst)
    }
}

/// Servers with a limit of one request each.
fn balancer(keys: &str) -> Balancer<char> {
    let servers = keys.chars().map(|key| Server::new(key).limit(1));
    Balancer::new(Options::default(), servers).unwrap()
}

#[test]
fn waiters_are_woken_in_turn() {
    let balancer = balancer("a");
    let held = balancer.lease().unwrap();
    let [mut first, mut second, mut third] = [(); 3].map(|()| Waiter::new(balancer.wait()));
    for waiter in [&mut first, &mut second, &mut third] {
        waiter.must_wait();
    }
    assert_eq!(balancer.state().waiting, 3);
    held.answered(Told::Silent);
    assert_eq!([&first, &second, &third].map(Waiter::calls), [1, 0, 0]);
    // The first leaves instead of taking its turn: the second is called.
    drop(first);
    assert_eq!([&second, &third].map(Waiter::calls), [1, 0]);
    // A request that does not wait is faster. The second keeps its turn before the third.
    let quick = balancer.lease().unwrap();
    second.must_wait();
    drop(quick);
    assert_eq!([&second, &third].map(Waiter::calls), [2, 0]);
    let lease = second.must_get();
    third.must_wait();
    // A higher limit makes room too.
    balancer.update([Server::new('a').limit(2)]).unwrap();
    assert_eq!(third.calls(), 1);
    let other = third.must_get();
    assert_eq!((lease.server(), other.server()), (&'a', &'a'));
    assert_eq!(balancer.state().waiting, 0);
}

/// A request that belongs to a server waits for it while it is full, and lets others pass. If that
/// server is down or was tried, the policy decides.
#[test]
fn a_request_waits_for_the_server_that_it_belongs_to() {
    let balancer = balancer("abc");
    let at_b = || Waiter::new(balancer.wait().preferring(vec!['b'], 1));
    let held = at_b().must_get();
    assert_eq!((held.server(), held.on_token()), (&'b', true));
    let mut waits = at_b();
    waits.must_wait();
    let other = Waiter::new(balancer.wait()).must_get();
    assert_ne!(other.server(), &'b', "it lets others pass");
    other.answered(Told::Silent);
    assert_eq!(waits.calls(), 0, "another server is of no use to it");
    held.answered(Told::Silent);
    assert_eq!(waits.calls(), 1);
    let held = waits.must_get();
    assert_eq!(held.server(), &'b');

    let tried = balancer.wait().preferring(vec!['b'], 1).avoiding(vec!['b']);
    assert_ne!(Waiter::new(tried).must_get().server(), &'b');
    let mut waits = at_b();
    waits.must_wait();
    balancer.set_up(&'b', false);
    assert_eq!(waits.calls(), 1, "it need not wait any longer");
    assert_ne!(waits.must_get().server(), &'b');
    assert_ne!(at_b().must_get().server(), &'b');
    drop(held);
}

/// A request that waits for a server that leaves, or takes no requests any more, gets another one,
/// and does not have to wait until something else happens.
#[test]
fn a_request_does_not_wait_for_a_server_that_is_lost() {
    let losses: [fn(&Balancer<char>); 4] = [
        |balancer| balancer.set_up(&'b', false),
        |balancer| balancer.set_ready(&'b', false),
        |balancer| assert!(balancer.remove(&'b')),
        |balancer| {
            balancer.update([Server::new('a').limit(1)]).unwrap();
        },
    ];
    for (at, lose) in losses.into_iter().enumerate() {
        let balancer = balancer("ab");
        let at_b = || Waiter::new(balancer.wait().preferring(vec!['b'], 1));
        let _held = at_b().must_get();
        let mut waits = at_b();
        waits.must_wait();
        lose(&balancer);
        assert_eq!(waits.calls(), 1, "loss {at}");
        assert_eq!(waits.must_get().server(), &'a');
    }
}

/// The sessions of one full server have taken all places to wait. Another server falls free again
/// and again: newcomers get it, and none of the sessions is woken for it.
#[test]
fn sessions_that_wait_hold_up_no_other() {
    let balancer = balancer("ab");
    let at_b = || Waiter::new(balancer.wait().preferring(vec!['b'], 1).at_most(10));
    let held = at_b().must_get();
    let mut sessions: Vec<_> = (0..10).map(|_| at_b()).collect();
    sessions.iter_mut().for_each(Waiter::must_wait);
    for _ in 0..5 {
        let newcomer = Waiter::new(balancer.wait().at_most(10)).must_get();
        assert_eq!(newcomer.server(), &'a');
        newcomer.answered(Told::Silent);
    }
    let calls = |sessions: &[Waiter]| sessions.iter().map(Waiter::calls).sum::<usize>();
    assert_eq!(calls(&sessions), 0);
    // Their own server is free: the first has it, and the others are left alone.
    held.answered(Told::Silent);
    let _held = sessions[0].must_get();
    assert_eq!(calls(&sessions), 1);
    let newcomer = Waiter::new(balancer.wait().at_most(10)).must_get();
    assert_eq!(newcomer.server(), &'a');
}

/// Of the servers that share it, the request goes to one that is idle; of the others, to the one
/// that would answer first.
#[test]
fn of_preferred_servers_the_idle_one_is_taken() {
    let servers = [('a', 1.0), ('b', 3.0), ('c', 9.0)];
    let servers = servers.map(|(key, weight)| Server::new(key).weight(weight));
    let options = Options {
        speeds: Speeds::Weights,
        ..Options::default()
    };
    let balancer = Balancer::new(options, servers).unwrap();
    let mut held: Vec<Lease<char>> = Vec::new();
    for _ in 0..6 {
        let wait = balancer.wait().preferring(vec!['a', 'b', 'c'], 2);
        held.push(Waiter::new(wait).must_get());
    }
    let order: String = held.iter().map(Lease::server).collect();
    // Idle: b, then a. Then by (outstanding + 1) / speed: 2/3, 1, then a tie of 4/3 … and 2.
    assert_eq!(&order[..4], "babb");
    assert!(!order.contains('c'));
    // The third steps in for one that is down.
    balancer.set_up(&'a', false);
    let wait = balancer.wait().preferring(vec!['a', 'b', 'c'], 2);
    assert_eq!(Waiter::new(wait).must_get().server(), &'c');
}

/// When several places become free at once, a waiter that gets one calls the next.
#[test]
fn a_call_is_passed_on() {
    let balancer = balancer("");
    let [mut first, mut second] = [(); 2].map(|()| Waiter::new(balancer.wait()));
    first.must_wait();
    second.must_wait();
    balancer.insert(Server::new('a')).unwrap();
    assert_eq!([&first, &second].map(Waiter::calls), [1, 0]);
    let _lease = first.must_get();
    assert_eq!(second.calls(), 1);
}

#[test]
fn a_waiter_that_has_left_is_not_called() {
    let balancer = balancer("a");
    let held = balancer.lease().unwrap();
    let [mut leaves, mut stays] = [(); 2].map(|()| Waiter::new(balancer.wait()));
    leaves.must_wait();
    stays.must_wait();
    let calls = leaves.calls.clone();
    drop(leaves);
    assert_eq!(balancer.state().waiting, 1);
    held.answered(Told::Silent);
    assert_eq!((calls.0.load(Ordering::SeqCst), stays.calls()), (0, 1));
}

/// A waiter that was called comes first, even if another one asks before it.
#[test]
fn no_waiter_overtakes_another() {
    let balancer = balancer("a");
    let held = balancer.lease().unwrap();
    let [mut first, mut later] = [(); 2].map(|()| Waiter::new(balancer.wait()));
    first.must_wait();
    held.answered(Told::Silent);
    assert_eq!((first.calls(), balancer.state().waiting), (1, 1));
    later.must_wait();
    let _lease = first.must_get();
}

/// Ten requests wait for one server, an eleventh is refused, and all are served in order.
#[test]
fn a_queue_has_a_length() {
    let balancer = balancer("a");
    let held = balancer.lease().unwrap();
    let wait = || Waiter::new(balancer.wait().at_most(10));
    let mut waiters: Vec<_> = (0..10).map(|_| wait()).collect();
    waiters.iter_mut().for_each(Waiter::must_wait);
    assert_eq!(wait().must_fail(), Refused::QueueFull);
    held.answered(Told::Silent);
    for at in 0..10 {
        let calls: Vec<_> = waiters.iter().map(Waiter::calls).collect();
        let called = calls.iter().position(|&calls| calls > 0);
        assert_eq!(called, Some(0), "waiter {at} is the first");
        let lease = waiters[0].must_get();
        waiters[1..].iter_mut().for_each(Waiter::must_wait);
        lease.answered(Told::Silent);
        waiters.remove(0);
    }
    assert_eq!(balancer.state().waiting, 0);
    // Without a place to wait, a request gets a server at once or not at all.
    let mut none = Waiter::new(balancer.wait().at_most(0));
    let _lease = none.must_get();
    let mut none = Waiter::new(balancer.wait().at_most(0));
    assert_eq!(none.must_fail(), Refused::QueueFull);
}

/// The first can only use a server that is not free; later requests take the one that is.
#[test]
fn a_barred_waiter_holds_up_no_other() {
    let balancer = balancer("ab");
    let held = balancer.lease_avoiding(&['a']).unwrap();
    let mut barred = Waiter::new(balancer.wait().avoiding(vec!['a']));
    barred.must_wait();
    // A newcomer passes it.
    let passed = Waiter::new(balancer.wait()).must_get();
    assert_eq!(*passed.server(), 'a');
    // So does a request that waits behind it: the barred one is called, and calls the next.
    let mut second = Waiter::new(balancer.wait());
    second.must_wait();
    passed.answered(Told::Silent);
    assert_eq!((barred.calls(), second.calls()), (1, 0));
    barred.must_wait();
    assert_eq!(second.calls(), 1);
    let lease = second.must_get();
    assert_eq!(*lease.server(), 'a');
    // Its own server is free at last.
    held.answered(Told::Silent);
    assert_eq!(*barred.must_get().server(), 'b');
    assert_eq!(balancer.state().waiting, 0);
}

/// A barred waiter that leaves is forgotten: the others wait on, in order.
#[test]
fn a_barred_waiter_may_leave() {
    let balancer = balancer("ab");
    let both = [balancer.lease().unwrap(), balancer.lease().unwrap()];
    let mut barred = Waiter::new(balancer.wait().avoiding(vec!['a']));
    barred.must_wait();
    let [a, b] = both;
    let (a, b) = if *a.server() == 'a' { (a, b) } else { (b, a) };
    a.answered(Told::Silent);
    barred.must_wait();
    drop(barred);
    assert_eq!(balancer.state().waiting, 0);
    let _a = balancer.lease().unwrap();
    let mut next = Waiter::new(balancer.wait());
    next.must_wait();
    b.answered(Told::Silent);
    assert_eq!((next.calls(), *next.must_get().server()), (1, 'b'));
}

/// There is nothing to wait for if every server that is up has been tried and one of them is free.
#[test]
fn a_request_that_has_tried_all_is_refused() {
    let balancer = balancer("ab");
    balancer.set_up(&'b', false);
    let mut tried = Waiter::new(balancer.wait().avoiding(vec!['a']));
    assert_eq!(tried.must_fail(), Refused::AllTried);
    // The other server comes up.
    balancer.set_up(&'b', true);
    let mut tried = Waiter::new(balancer.wait().avoiding(vec!['a']));
    assert_eq!(*tried.must_get().server(), 'b');
}

/// A server that is up but takes no requests is none to wait for, while the one that was tried is
/// free. A server that is only full is.
#[test]
fn a_retry_does_not_wait_for_a_server_that_is_not_ready() {
    let balancer = balancer("ab");
    balancer.set_ready(&'b', false);
    let mut tried = Waiter::new(balancer.wait().avoiding(vec!['a']));
    assert_eq!(tried.must_fail(), Refused::AllTried);
    balancer.set_ready(&'b', true);
    let held = balancer.lease_avoiding(&['a']).unwrap();
    let mut tried = Waiter::new(balancer.wait().avoiding(vec!['a']));
    tried.must_wait();
    held.answered(Told::Silent);
    assert_eq!(*tried.must_get().server(), 'b');
}

/// A retry that waits for the only server that it has not tried is told when that server is lost.
#[test]
fn a_retry_does_not_wait_for_a_server_that_is_lost() {
    let losses: [fn(&Balancer<char>); 3] = [
        |balancer| balancer.set_up(&'b', false),
        |balancer| balancer.set_ready(&'b', false),
        |balancer| assert!(balancer.remove(&'b')),
    ];
    for (at, lose) in losses.into_iter().enumerate() {
        let balancer = balancer("ab");
        let _held = balancer.lease_avoiding(&['a']).unwrap();
        let mut tried = Waiter::new(balancer.wait().avoiding(vec!['a']));
        tried.must_wait();
        lose(&balancer);
        assert_eq!(tried.calls(), 1, "loss {at}");
        assert_eq!(tried.must_fail(), Refused::AllTried);
    }
}

#[test]
fn closing_sends_every_waiter_away() {
    let balancer = balancer("a");
    let held = balancer.lease().unwrap();
    let mut waits = Waiter::new(balancer.wait());
    waits.must_wait();
    balancer.close();
    assert_eq!(waits.calls(), 1);
    assert_eq!(waits.must_fail(), Refused::Closed);
    assert_eq!(Waiter::new(balancer.wait()).must_fail(), Refused::Closed);
    held.answered(Told::Silent);
    assert_eq!(balancer.state().in_flight, 0);
}

const KEYS: [char; 3] = ['a', 'b', 'c'];

proptest! {
    /// Whatever happens, no request waits while a server is free on which it has not failed, and
    /// which it belongs to, unless it belongs to none that works.
    #[test]
    fn no_wake_up_is_lost(events in prop::collection::vec((0..10u8, any::<u8>()), 1..80)) {
        let balancer = balancer("abc");
        let (mut leases, mut waiters) = (Vec::new(), Vec::new());
        for (event, number) in events {
            let key = KEYS[usize::from(number) % 3];
            match event {
                0 => leases.extend(balancer.lease()),
                1 | 2 if !leases.is_empty() => {
                    let lease = leases.swap_remove(usize::from(number) % leases.len());
                    lease.answered(Told::Silent);
                }
                3 => balancer.set_up(&key, number & 4 == 0),
                4 => balancer.set_ready(&key, number & 4 == 0),
                5 | 6 => {
                    let bits = KEYS.iter().enumerate().filter(|(at, _)| number >> at & 1 == 1);
                    let tried: Vec<char> = bits.map(|(_, key)| *key).collect();
                    let mut waiter = Waiter::new(balancer.wait().avoiding(tried.clone()));
                    match waiter.poll() {
                        Poll::Pending => waiters.push((tried, None, waiter)),
                        Poll::Ready(ended) => leases.extend(ended),
                    }
                }
                8 => {
                    let mut waiter = Waiter::new(balancer.wait().preferring(vec![key], 1));
                    match waiter.poll() {
                        Poll::Pending => waiters.push((Vec::new(), Some(key), waiter)),
                        Poll::Ready(ended) => leases.extend(ended),
                    }
                }
                9 if number & 4 == 0 => {
                    balancer.remove(&key);
                }
                9 => {
                    balancer.insert(Server::new(key).limit(1)).unwrap();
                }
                7 if !waiters.is_empty() => {
                    waiters.remove(usize::from(number) % waiters.len());
                }
                _ => {}
            }
            // Like an executor: waiters that were called are polled, until none is.
            let called = |it: &(_, _, Waiter)| it.2.calls.0.swap(0, Ordering::SeqCst) > 0;
            while let Some(at) = waiters.iter().position(called) {
                if let Poll::Ready(ended) = waiters[at].2.poll() {
                    waiters.remove(at);
                    leases.extend(ended);
                }
            }
            let state = balancer.state();
            prop_assert_eq!(state.waiting, waiters.len());
            let works = |key: &char| {
                let server = state.servers.iter().find(|server| server.key == *key)?;
                (server.up && server.ready).then_some(server.outstanding == 0)
            };
            for (tried, home, _) in &waiters {
                let home = home.filter(|home| works(home).is_some());
                let fit = |key: &char| !tried.contains(key) && home.is_none_or(|home| home == *key);
                let mut fitting = KEYS.iter().filter(|key| fit(key));
                let waits_in_vain = fitting.any(|key| works(key) == Some(true));
                prop_assert!(!waits_in_vain, "{tried:?} {home:?} waits in vain");
            }
        }
    }
}
