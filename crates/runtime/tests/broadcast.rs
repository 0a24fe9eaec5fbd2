//! One share for each worker, and scopes that are opened in place.
#![cfg(not(any(loom, shuttle)))]

mod common;

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use common::{Flag, finishes, on_pools, pool};
use filch::{current_worker, join, scope};

#[test]
fn every_worker_runs_its_own_share() {
    on_pools(|pool| {
        for _ in 0..100 {
            let workers = pool.broadcast(|worker| {
                assert_eq!(current_worker(), Some(worker.index()));
                assert_eq!(worker.num_threads(), pool.threads());
                worker.index()
            });
            assert!(workers.into_iter().eq(0..pool.threads()));
        }
    });
}

/// A worker that broadcasts runs its own share too, and others may broadcast at the same time.
#[test]
fn workers_broadcast_to_each_other() {
    on_pools(|pool| {
        let shares = AtomicUsize::new(0);
        let count = || {
            scope(|s| {
                s.spawn_broadcast(|_, _| {
                    shares.fetch_add(1, Ordering::Relaxed);
                });
            });
        };
        for _ in 0..100 {
            pool.join(count, || join(count, count));
        }
        assert_eq!(shares.into_inner(), 300 * pool.threads());
    });
}

/// A share stays with its worker, even if that worker is busy and others are not.
#[test]
fn shares_are_not_stolen() {
    finishes(|| {
        let pool = pool(2);
        for _ in 0..50 {
            let busy = pool.spawn(|| thread::sleep(Duration::from_millis(1)));
            let workers = pool.broadcast(|_| current_worker().unwrap());
            assert_eq!(workers, [0, 1]);
            busy.join().unwrap();
        }
    });
}

#[test]
fn the_first_panic_arrives_after_all_shares() {
    on_pools(|pool| {
        let shares = AtomicUsize::new(0);
        let broadcast = std::panic::AssertUnwindSafe(|| {
            pool.broadcast(|_| {
                shares.fetch_add(1, Ordering::Relaxed);
                std::panic::resume_unwind(Box::new("share"));
            })
        });
        let panic = std::panic::catch_unwind(broadcast).map(|_: Vec<()>| ());
        assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"share"));
        assert_eq!(shares.into_inner(), pool.threads());
    });
}

/// The body stays on its thread, so it may hold what cannot be sent; children may spawn children.
#[test]
fn a_scope_in_place() {
    on_pools(|pool| {
        let (here, there) = (Cell::new(0), AtomicUsize::new(0));
        let own = thread::current().id();
        pool.in_place_scope(|s| {
            for _ in 0..100 {
                s.spawn(|s| {
                    assert_ne!(thread::current().id(), own);
                    s.spawn(|_| {
                        there.fetch_add(1, Ordering::Relaxed);
                    });
                });
                here.set(here.get() + 1);
            }
        });
        assert_eq!((here.get(), there.into_inner()), (100, 100));
    });
}

/// On a worker of the pool it is an ordinary scope, and on a worker of another pool it is a call.
#[test]
fn a_scope_in_place_on_workers() {
    finishes(|| {
        let (one, other) = (pool(1), pool(1));
        let count = AtomicUsize::new(0);
        let open = || {
            one.in_place_scope(|s| {
                for _ in 0..10 {
                    s.spawn(|_| {
                        count.fetch_add(1, Ordering::Relaxed);
                    });
                }
            });
        };
        one.install(open);
        other.install(open);
        // The only worker of this pool waits for the other pool meanwhile.
        one.install(|| other.install(open));
        assert_eq!(count.into_inner(), 30);
    });
}

/// A worker that waits within an older call does not run a share of a younger one: what the share
/// waits for may be waiting for that worker.
#[test]
fn a_share_of_a_younger_call_comes_later() {
    finishes(|| {
        let (one, two, three) = (pool(1), pool(2), pool(1));
        let (stolen, served) = (Flag::default(), Flag::default());
        thread::scope(|threads| {
            threads.spawn(|| {
                one.install(|| {
                    two.join(
                        || stolen.wait(),
                        || {
                            stolen.raise();
                            // Time for the other worker, which waits now, to do the wrong thing.
                            served.is_raised_within(Duration::from_millis(100));
                        },
                    )
                })
            });
            stolen.wait();
            // The only worker of pool one waits for the join.
            three.install(|| {
                two.broadcast(|_| {
                    served.raise();
                    one.install(|| ());
                })
            });
        });
    });
}

/// A share that belongs to the call for which a worker waits is served, whether the worker waits
/// for a child or for another pool.
#[test]
fn a_share_of_the_same_call_is_served() {
    finishes(|| {
        let (one, two, three) = (pool(1), pool(2), pool(1));
        let stolen = Flag::default();
        one.install(|| {
            two.join(
                || stolen.wait(),
                || {
                    stolen.raise();
                    three.install(|| two.broadcast(|_| one.install(|| ())))
                },
            )
        });
        one.install(|| two.install(|| three.install(|| two.broadcast(|_| one.install(|| ())))));
    });
}
