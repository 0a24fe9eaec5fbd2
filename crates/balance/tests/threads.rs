//! Many threads at once, panics and those who wait.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

use filch_balance::{Balancer, Options, Server, Told};
use filch_policy::dispatch::Spec;

/// Four threads send, answer, fail, drop and panic while a fifth changes the set of servers and their
/// health. No server ever has more than its limit, counted by the holders themselves, and nothing is out
/// at the end.
#[test]
fn threads_at_once() {
    const LIMIT: u32 = 3;
    for policy in ["idle-fastest(sed)", "jsq", "pi", "round-robin", "jsq:2:1"] {
        let servers = |keys: std::ops::Range<usize>| {
            keys.map(|key| Server::new(key).limit(LIMIT))
                .collect::<Vec<_>>()
        };
        let policy: Spec = policy.parse().unwrap();
        let balancer = Balancer::new(Options::of(policy), servers(0..6)).unwrap();
        // Servers 4 and 5 come and go, and then have a new life that does not count the old leases.
        let held: [AtomicU32; 4] = Default::default();
        thread::scope(|scope| {
            for thread in 0..4 {
                let (balancer, held) = (&balancer, &held);
                scope.spawn(move || {
                    for round in 0..3000 {
                        let Ok(lease) =
                            balancer.lease_avoiding(if round % 5 == 0 { &[1] } else { &[] })
                        else {
                            thread::yield_now();
                            continue;
                        };
                        let count = held.get(*lease.server());
                        if let Some(count) = count {
                            assert!(count.fetch_add(1, Ordering::SeqCst) < LIMIT);
                        }
                        if round % 4 == 0 {
                            thread::yield_now();
                        }
                        // Ours ends before the lease does, or another thread could count too many.
                        if let Some(count) = count {
                            count.fetch_sub(1, Ordering::SeqCst);
                        }
                        match (round + thread) % 6 {
                            0 => drop(lease),
                            1 => lease.failed(),
                            2 => lease.unsent(),
                            3 if round % 50 == 0 => {
                                let end = catch_unwind(AssertUnwindSafe(|| {
                                    let _held = lease;
                                    std::panic::resume_unwind(Box::new("a handler panics"));
                                }));
                                assert!(end.is_err());
                            }
                            _ => lease.answered(Told::Silent),
                        }
                    }
                });
            }
            scope.spawn(|| {
                for round in 0..300 {
                    balancer.update(servers(0..4 + round % 3)).unwrap();
                    balancer.set_up(&(round % 4), round % 8 < 4);
                    thread::yield_now();
                }
            });
        });
        let state = balancer.state();
        assert_eq!(state.in_flight, 0, "{policy}");
        assert!(
            state.servers.iter().all(|server| server.outstanding == 0),
            "{policy}"
        );
        assert!(
            state.servers.iter().any(|server| server.served > 0),
            "{policy}"
        );
    }
}

#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn waker() -> (Arc<Woken>, Waker) {
    let woken = Arc::new(Woken::default());
    (woken.clone(), woken.into())
}

#[test]
fn those_who_wait_are_woken_in_turn() {
    let balancer = Balancer::new(Options::default(), [Server::new('a').limit(1)]).unwrap();
    let held = balancer.lease().unwrap();
    let [
        (first_woken, first),
        (second_woken, second),
        (third_woken, third),
    ] = [(); 3].map(|()| waker());
    let mut waits = [balancer.wait(), balancer.wait(), balancer.wait()].map(Box::pin);
    for (wait, waker) in waits.iter_mut().zip([&first, &second, &third]) {
        assert!(
            wait.as_mut()
                .poll(&mut Context::from_waker(waker))
                .is_pending()
        );
    }
    assert_eq!(balancer.state().waiting, 3);
    let count = |woken: &Woken| woken.0.load(Ordering::SeqCst);
    held.answered(Told::Silent);
    assert_eq!(
        [&*first_woken, &second_woken, &third_woken].map(count),
        [1, 0, 0]
    );
    // The first goes away instead of taking its turn: the second is called.
    let [gone, mut wait, mut last] = waits;
    drop(gone);
    assert_eq!(
        [&*first_woken, &second_woken, &third_woken].map(count),
        [1, 1, 0]
    );
    // Somebody who does not wait is faster. The second keeps its turn before the third.
    let quick = balancer.lease().unwrap();
    assert!(
        wait.as_mut()
            .poll(&mut Context::from_waker(&second))
            .is_pending()
    );
    drop(quick);
    assert_eq!(
        [&*first_woken, &second_woken, &third_woken].map(count),
        [1, 2, 0]
    );
    let lease = match wait.as_mut().poll(&mut Context::from_waker(&second)) {
        Poll::Ready(lease) => lease,
        Poll::Pending => panic!("there is room"),
    };
    assert!(
        last.as_mut()
            .poll(&mut Context::from_waker(&third))
            .is_pending()
    );
    // A new limit makes room too.
    balancer.update([Server::new('a').limit(2)]).unwrap();
    assert_eq!(count(&third_woken), 1);
    assert!(
        last.as_mut()
            .poll(&mut Context::from_waker(&third))
            .is_ready()
    );
    assert_eq!((*lease.server(), balancer.state().waiting), ('a', 0));
}

/// When several places become free at once, whoever is woken and gets one calls the next.
#[test]
fn a_call_is_passed_on() {
    let balancer = Balancer::new(Options::default(), []).unwrap();
    let [(first_woken, first), (second_woken, second)] = [(); 2].map(|()| waker());
    let (mut one, mut two) = (pin!(balancer.wait()), pin!(balancer.wait()));
    assert!(
        one.as_mut()
            .poll(&mut Context::from_waker(&first))
            .is_pending()
    );
    assert!(
        two.as_mut()
            .poll(&mut Context::from_waker(&second))
            .is_pending()
    );
    balancer.insert(Server::new(1)).unwrap();
    assert_eq!(first_woken.0.load(Ordering::SeqCst), 1);
    assert!(
        one.as_mut()
            .poll(&mut Context::from_waker(&first))
            .is_ready()
    );
    assert_eq!(second_woken.0.load(Ordering::SeqCst), 1);
}

/// Who goes away before being woken is not called any more.
#[test]
fn who_has_gone_is_not_called() {
    let balancer = Balancer::new(Options::default(), [Server::new('a').limit(1)]).unwrap();
    let held = balancer.lease().unwrap();
    let [(gone_woken, gone), (stays_woken, stays)] = [(); 2].map(|()| waker());
    let (mut goes, mut waits) = (Box::pin(balancer.wait()), Box::pin(balancer.wait()));
    for (wait, waker) in [(&mut goes, &gone), (&mut waits, &stays)] {
        let poll = wait.as_mut().poll(&mut Context::from_waker(waker));
        assert!(poll.is_pending());
    }
    drop(goes);
    assert_eq!(balancer.state().waiting, 1);
    held.answered(Told::Silent);
    let count = |woken: &Woken| woken.0.load(Ordering::SeqCst);
    assert_eq!([&*gone_woken, &stays_woken].map(count), [0, 1]);
}

/// Whoever was called comes first, even if somebody else asks before it has had time to.
#[test]
fn nobody_overtakes_who_waits() {
    let balancer = Balancer::new(Options::default(), [Server::new('a').limit(1)]).unwrap();
    let held = balancer.lease().unwrap();
    let [(first_woken, first), (_, later)] = [(); 2].map(|()| waker());
    let (mut waits, mut comes) = (Box::pin(balancer.wait()), Box::pin(balancer.wait()));
    let poll = waits.as_mut().poll(&mut Context::from_waker(&first));
    assert!(poll.is_pending());
    held.answered(Told::Silent);
    assert_eq!(first_woken.0.load(Ordering::SeqCst), 1);
    assert_eq!(balancer.state().waiting, 1);
    let poll = comes.as_mut().poll(&mut Context::from_waker(&later));
    assert!(poll.is_pending(), "it came later");
    let poll = waits.as_mut().poll(&mut Context::from_waker(&first));
    assert!(poll.is_ready());
}
