//! A panic reaches the waiter, after everything that could still use borrowed data has ended.
#![cfg(not(any(loom, shuttle)))]

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use common::{Flag, assert_success, caught, finishes, in_child, on_pools, panic_with, pool, role};
use filch::{Pool, join, scope};

#[test]
fn the_panic_of_either_child_reaches_the_caller_of_join() {
    on_pools(|pool| {
        assert_eq!(caught(|| pool.join(|| panic_with(1), || 0)), 1);
        assert_eq!(caught(|| pool.join(|| 0, || panic_with(2))), 2);
        assert_eq!(pool.join(|| 3, || 4), (3, 4));
    });
}

#[test]
fn if_both_children_panic_the_caller_gets_the_first_childs() {
    on_pools(|pool| assert_eq!(caught(|| pool.join(|| panic_with(1), || panic_with(2))), 1));
}

#[test]
fn both_children_of_a_join_run_though_one_panics() {
    on_pools(|pool| {
        let ran = Flag::default();
        caught(|| pool.join(|| panic_with(1), || ran.raise()));
        assert!(ran.is_raised());
        let ran = Flag::default();
        caught(|| pool.join(|| ran.raise(), || panic_with(1)));
        assert!(ran.is_raised());
    });
}

/// The second closure runs on another worker, and still runs when the first panics.
#[test]
fn a_join_unwinds_only_after_its_stolen_child_has_ended() {
    finishes(|| {
        let pool = pool(2);
        for _ in 0..50 {
            let (stolen, panicking, ended) = (Flag::default(), Flag::default(), Flag::default());
            let first = || {
                stolen.wait();
                panicking.raise();
                panic_with(1)
            };
            let second = || {
                stolen.raise();
                panicking.wait();
                std::thread::yield_now();
                ended.raise();
            };
            assert_eq!(caught(|| pool.join(first, second)), 1);
            assert!(ended.is_raised());
        }
    });
}

#[test]
fn a_stolen_childs_panic_reaches_the_caller_with_its_payload() {
    finishes(|| {
        let pool = pool(2);
        for number in 0..50 {
            let stolen = Flag::default();
            let second = || {
                stolen.raise();
                panic_with(number)
            };
            assert_eq!(caught(|| pool.join(|| stolen.wait(), second)), number);
        }
    });
}

#[test]
fn if_both_panic_on_two_workers_the_caller_gets_the_first_childs() {
    finishes(|| {
        let pool = pool(2);
        let stolen = Flag::default();
        let first = || {
            stolen.wait();
            panic_with(1)
        };
        let second = || {
            stolen.raise();
            panic_with(2)
        };
        assert_eq!(caught(|| pool.join(first, second)), 1);
    });
}

#[test]
fn all_children_of_a_scope_run_though_some_panic() {
    on_pools(|pool| {
        let ended = AtomicUsize::new(0);
        let number = caught(|| {
            pool.scope(|s| {
                for number in 0..100 {
                    let ended = &ended;
                    s.spawn(move |_| {
                        ended.fetch_add(1, Ordering::Relaxed);
                        if number % 10 == 3 {
                            panic_with(number)
                        }
                    });
                }
            });
        });
        assert_eq!((number % 10, ended.into_inner()), (3, 100));
    });
}

#[test]
fn the_panic_of_a_scopes_closure_waits_for_the_children() {
    on_pools(|pool| {
        let ended = AtomicUsize::new(0);
        let number = caught(|| {
            pool.scope(|s| {
                for _ in 0..100 {
                    s.spawn(|s| {
                        s.spawn(|_| {
                            ended.fetch_add(1, Ordering::Relaxed);
                        });
                    });
                }
                panic_with(7)
            })
        });
        assert_eq!((number, ended.into_inner()), (7, 100));
    });
}

#[test]
fn a_panic_in_the_depth_unwinds_through_joins_and_scopes() {
    fn dive(depth: usize, ended: &AtomicUsize) {
        if depth == 0 {
            panic_with(9)
        }
        scope(|s| {
            s.spawn(|_| {
                join(
                    || dive(depth - 1, ended),
                    || ended.fetch_add(1, Ordering::Relaxed),
                );
            });
            s.spawn(|_| {
                ended.fetch_add(1, Ordering::Relaxed);
            });
        });
    }
    on_pools(|pool| {
        let ended = AtomicUsize::new(0);
        assert_eq!(caught(|| pool.install(|| dive(40, &ended))), 9);
        assert_eq!(ended.into_inner(), 80);
    });
}

#[test]
fn an_installed_panic_reaches_the_installing_thread() {
    on_pools(|pool| {
        let other = common::pool(1);
        assert_eq!(caught(|| pool.install(|| panic_with(3))), 3);
        assert_eq!(
            caught(|| pool.install(|| other.install(|| panic_with(4)))),
            4
        );
    });
}

#[test]
fn a_pool_of_one_worker_outlives_every_kind_of_panic() {
    finishes(|| {
        let pool = pool(1);
        for _ in 0..100 {
            drop(pool.spawn(|| panic_with(1)));
            assert!(pool.spawn(|| panic_with(1)).join().is_err());
            caught(|| pool.install(|| panic_with(1)));
            caught(|| pool.scope(|s| s.spawn(|_| panic_with(1))));
            caught(|| pool.join(|| panic_with(1), || panic_with(2)));
        }
        assert_eq!(pool.install(filch::current_worker), Some(0));
    });
}

#[test]
fn a_handle_returns_the_payload() {
    on_pools(|pool| {
        let payload = pool
            .spawn(|| panic_with(5))
            .join()
            .expect_err("the job panicked");
        assert_eq!(*payload.downcast::<usize>().unwrap(), 5);
    });
}

fn pool_with_panic_handler(threads: usize) -> (Pool, mpsc::Receiver<usize>) {
    let (sender, receiver) = mpsc::channel();
    let pool = Pool::builder()
        .threads(threads)
        .panic_handler(move |payload| {
            let number = *payload.downcast::<usize>().unwrap();
            sender.send(number).unwrap();
            // A panic of the handler itself has no effect.
            panic_with(number)
        })
        .build();
    (pool.unwrap(), receiver)
}

#[test]
fn the_panic_handler_gets_panics_of_jobs_with_dropped_handles() {
    finishes(|| {
        for threads in [1, 2, 3, 8] {
            let (pool, reported) = pool_with_panic_handler(threads);
            for number in 0..50 {
                let dropped = Arc::new(Flag::default());
                let job = Arc::clone(&dropped);
                let handle = pool.spawn(move || {
                    job.wait();
                    panic_with(number)
                });
                drop(handle);
                dropped.raise();
            }
            drop(pool);
            let mut numbers: Vec<usize> = reported.iter().collect();
            numbers.sort_unstable();
            assert_eq!(numbers, (0..50).collect::<Vec<_>>());
        }
    });
}

#[test]
fn the_panic_handler_does_not_get_panics_that_reach_a_caller() {
    finishes(|| {
        let (pool, reported) = pool_with_panic_handler(2);
        assert!(pool.spawn(|| panic_with(1)).join().is_err());
        caught(|| pool.join(|| panic_with(2), || panic_with(3)));
        caught(|| pool.scope(|s| s.spawn(|_| panic_with(4))));
        drop(pool);
        assert_eq!(reported.iter().count(), 0);
    });
}

#[test]
fn a_pool_whose_start_handler_panics_still_works_and_ends() {
    finishes(|| {
        for threads in [1, 2, 3] {
            for bad in 0..threads {
                let pool = Pool::builder()
                    .threads(threads)
                    .start_handler(move |worker| {
                        if worker == bad {
                            panic_with(worker)
                        }
                    })
                    .build()
                    .unwrap();
                let handles: Vec<_> = (0..20).map(|number| pool.spawn(move || number)).collect();
                for (number, handle) in handles.into_iter().enumerate() {
                    assert_eq!(handle.join().unwrap(), number);
                }
                assert_eq!(pool.join(|| 1, || 2), (1, 2));
            }
        }
    });
}

#[test]
fn a_pool_whose_exit_handler_panics_still_ends() {
    finishes(|| {
        for threads in [1, 2, 3] {
            let exits = Arc::new(AtomicUsize::new(0));
            let counted = Arc::clone(&exits);
            let pool = Pool::builder()
                .threads(threads)
                .exit_handler(move |worker| {
                    counted.fetch_add(1, Ordering::Relaxed);
                    panic_with(worker)
                })
                .build()
                .unwrap();
            assert_eq!(pool.install(|| 1), 1);
            drop(pool);
            assert_eq!(exits.load(Ordering::Relaxed), threads);
        }
    });
}

/// A value that panics when it is dropped.
struct Touchy;

impl Drop for Touchy {
    fn drop(&mut self) {
        panic_with(13)
    }
}

/// Runs a job on a pool of one worker. Its handle is dropped before it ends.
fn run_detached<T: Send + 'static>(job: impl FnOnce() -> T + Send + 'static) {
    let pool = pool(1);
    let may_run = Arc::new(Flag::default());
    let wait = Arc::clone(&may_run);
    drop(pool.spawn(move || {
        wait.wait();
        job()
    }));
    may_run.raise();
    assert_eq!(pool.install(|| 1), 1);
}

#[test]
fn a_result_that_panics_when_dropped_does_not_kill_the_worker() {
    let name = "a_result_that_panics_when_dropped_does_not_kill_the_worker";
    match role() {
        Some(_) => run_detached(|| Touchy),
        None => assert_success(name, &in_child(name, "child", &[])),
    }
}

/// The program may abort, as with the standard library's threads, but it must not hang.
#[test]
fn a_payload_that_panics_when_dropped_does_not_hang_the_pool() {
    match role() {
        Some(_) => run_detached(|| resume_unwind(Box::new(Touchy))),
        None => {
            in_child(
                "a_payload_that_panics_when_dropped_does_not_hang_the_pool",
                "child",
                &[],
            );
        }
    }
}

/// The second of two panics in a scope is dropped by the worker that ran the child.
#[test]
fn a_payload_that_panics_when_dropped_does_not_hang_the_scope() {
    match role() {
        Some(_) => {
            let pool = pool(1);
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                pool.scope(|s| {
                    for _ in 0..3 {
                        s.spawn(|_| resume_unwind(Box::new(Touchy)));
                    }
                });
            }));
            std::mem::forget(outcome.expect_err("the children panicked"));
            assert_eq!(pool.install(|| 1), 1);
        }
        None => {
            in_child(
                "a_payload_that_panics_when_dropped_does_not_hang_the_scope",
                "child",
                &[],
            );
        }
    }
}

/// Whether a panic under a lock poisons it, and whether code can tell that its thread unwinds, as
/// on a thread that has nothing to do with a panic elsewhere.
fn is_undisturbed() -> bool {
    let mutex = std::sync::Mutex::new(());
    let poison = catch_unwind(AssertUnwindSafe(|| {
        let _locked = mutex.lock();
        panic_with(1)
    }));
    !std::thread::panicking() && poison.is_err() && mutex.is_poisoned()
}

/// The closure of a scope panics before its children run, on a pool of one worker.
#[test]
fn the_children_of_a_scope_that_panicked_are_undisturbed() {
    on_pools(|pool| {
        for nested in [false, true] {
            let undisturbed = AtomicUsize::new(0);
            let count = || undisturbed.fetch_add(usize::from(is_undisturbed()), Ordering::SeqCst);
            caught(|| {
                pool.install(|| {
                    scope(|s| {
                        s.spawn(|s| {
                            count();
                            s.spawn(|_| {
                                count();
                            });
                            if nested {
                                panic_with(2)
                            }
                        });
                        panic_with(1)
                    })
                })
            });
            caught(|| {
                pool.in_place_scope(|s| {
                    s.spawn(|_| {
                        count();
                    });
                    panic_with(1)
                })
            });
            assert_eq!(undisturbed.into_inner(), 3);
        }
    });
}

/// Shares that panic, and shares that are served by a worker whose scope has panicked.
#[test]
fn the_shares_of_a_broadcast_are_undisturbed_by_a_panic() {
    on_pools(|pool| {
        let undisturbed = AtomicUsize::new(0);
        let count = || undisturbed.fetch_add(usize::from(is_undisturbed()), Ordering::SeqCst);
        caught(|| {
            pool.broadcast(|_| {
                count();
                panic_with(1)
            })
        });
        caught(|| {
            pool.install(|| {
                scope(|s| {
                    s.spawn_broadcast(|_, _| {
                        count();
                    });
                    panic_with(1)
                })
            })
        });
        caught(|| {
            pool.in_place_scope(|s| {
                s.spawn_broadcast(|_, _| {
                    count();
                    panic_with(2)
                });
                panic_with(1)
            })
        });
        assert_eq!(undisturbed.into_inner(), 3 * pool.threads());
    });
}
