//! Many threads at once, and panics.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use filch_balance::{Balancer, Options, Server, Told};
use filch_policy::dispatch::Spec;

/// Four threads send, answer, fail, drop and panic while a fifth changes the set of servers and
/// their health. No server ever has more requests than its limit, counted by the holders
/// themselves, and no lease is out at the end.
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
        // Servers 4 and 5 leave and join again; the limit of the new one does not count old leases.
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
                        // Before the lease ends, or another thread could count too many.
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
