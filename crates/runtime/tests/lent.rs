//! A thread from outside that joins or opens a scope borrows the seat of a sleeping worker.
#![cfg(not(any(loom, shuttle)))]

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use common::{Flag, finishes, pool};
use filch::{IdlePolicy, Pool, PoolBuilder};

/// A pool whose workers are all asleep, according to their metrics.
fn asleep(builder: PoolBuilder) -> Pool {
    let pool = builder.idle(IdlePolicy::Park).build().unwrap();
    while pool
        .metrics()
        .workers
        .iter()
        .any(|worker| worker.parks == 0)
    {
        thread::yield_now();
    }
    pool
}

/// The same, and no worker takes jobs out of another's queue.
fn asleep_without_job_steals(threads: usize) -> Pool {
    let nothing = "fraction:1000000".parse().unwrap();
    asleep(Pool::builder().threads(threads).steal(nothing))
}

#[test]
fn the_caller_works_in_a_borrowed_seat() {
    finishes(|| {
        for threads in [1, 2, 8] {
            let pool = asleep(Pool::builder().threads(threads));
            let own = thread::current().id();
            let before = pool.metrics().total();
            for _ in 0..100 {
                assert_eq!(pool.scope(|_| thread::current().id()), own);
                assert_eq!(filch::current_worker(), None);
            }
            let after = pool.metrics().total();
            assert_eq!(after.jobs_run, before.jobs_run + 100);
            assert_eq!(after.parks, before.parks, "no worker was woken");
        }
    });
}

#[test]
fn no_job_is_sent_to_a_lent_seat_while_another_is_idle() {
    finishes(|| {
        for _ in 0..100 {
            let pool = asleep_without_job_steals(2);
            let (own, other) = pool.scope(|_| {
                let send = || pool.spawn(filch::current_worker).join().unwrap();
                let other = thread::scope(|s| s.spawn(send).join().unwrap());
                (filch::current_worker(), other)
            });
            assert_ne!(own, other);
        }
    });
}

#[test]
fn a_seat_that_was_given_back_gets_jobs() {
    finishes(|| {
        for _ in 0..100 {
            let pool = asleep_without_job_steals(2);
            pool.scope(|_| ());
            let both = Arc::new(Barrier::new(2));
            let jobs = [0, 1].map(|_| {
                let both = Arc::clone(&both);
                pool.spawn(move || both.wait())
            });
            for job in jobs {
                job.join().unwrap();
            }
        }
    });
}

#[test]
fn the_caller_has_an_index_and_the_current_pool() {
    finishes(|| {
        let pool = asleep(Pool::builder().threads(3));
        for _ in 0..100 {
            let (worker, (a, b)) = pool.scope(|_| {
                let job = filch::spawn(filch::current_worker);
                let both = filch::join(filch::current_worker, || job.join().unwrap());
                (filch::current_worker(), both)
            });
            assert!([worker, a, b].iter().all(|worker| worker.unwrap() < 3));
        }
    });
}

/// A pool with configured threads, and an `install`, run the work on threads of the pool.
#[test]
fn configured_threads_are_used() {
    finishes(|| {
        let builders: [fn() -> PoolBuilder; 3] = [
            || Pool::builder().stack_size(1 << 20),
            || Pool::builder().start_handler(|_| ()),
            || Pool::builder().exit_handler(|_| ()),
        ];
        for builder in builders {
            let pool = asleep(builder().threads(2));
            let own = thread::current().id();
            for _ in 0..100 {
                assert_ne!(pool.scope(|_| thread::current().id()), own);
                assert_ne!(pool.join(|| thread::current().id(), || ()).0, own);
            }
        }
        let pool = asleep(Pool::builder().threads(2));
        let own = thread::current().id();
        for _ in 0..100 {
            assert_ne!(pool.install(|| thread::current().id()), own);
        }
    });
}

#[test]
fn a_panic_gives_the_seat_back() {
    finishes(|| {
        let pool = asleep(Pool::builder().threads(1));
        for _ in 0..100 {
            let panics = || pool.scope(|_| std::panic::resume_unwind(Box::new(7_u32)));
            let panic = catch_unwind(AssertUnwindSafe(panics)).unwrap_err();
            assert_eq!(panic.downcast_ref::<u32>(), Some(&7));
            assert_eq!(filch::current_worker(), None);
            assert_eq!(pool.spawn(|| 1).join().unwrap(), 1);
        }
    });
}

/// The job lies in the queue of the seat that the caller had borrowed, and its only worker sleeps.
#[test]
fn a_job_left_behind_is_run() {
    finishes(|| {
        let pool = asleep(Pool::builder().threads(1));
        for _ in 0..1000 {
            let job = pool.scope(|_| filch::spawn(filch::current_worker));
            assert_eq!(job.join().unwrap(), Some(0));
        }
    });
}

/// A job that comes while the seat is lent waits for it, or for another worker.
#[test]
fn a_job_from_outside_meanwhile_is_run() {
    finishes(|| {
        for threads in [1, 2] {
            let pool = asleep(Pool::builder().threads(threads));
            for _ in 0..1000 {
                thread::scope(|s| {
                    s.spawn(|| pool.scope(|_| ()));
                    assert_eq!(pool.spawn(|| 1).join().unwrap(), 1);
                });
            }
        }
    });
}

#[test]
fn many_callers_at_once() {
    fn fib(n: u32) -> u32 {
        if n < 2 {
            return n;
        }
        let (a, b) = filch::join(|| fib(n - 1), || fib(n - 2));
        a + b
    }
    finishes(|| {
        for threads in [1, 2, 3] {
            let pool = pool(threads);
            let jobs = AtomicUsize::new(0);
            thread::scope(|s| {
                for _ in 0..6 {
                    s.spawn(|| {
                        for round in 0..200 {
                            assert_eq!(pool.scope(|_| fib(10)), 55);
                            pool.scope(|s| {
                                (0..round % 4).for_each(|_| {
                                    s.spawn(|_| {
                                        jobs.fetch_add(1, Ordering::Relaxed);
                                    });
                                });
                            });
                        }
                    });
                }
            });
            assert_eq!(jobs.into_inner(), 6 * 50 * (1 + 2 + 3));
        }
    });
}

/// The second closure can end only on another worker, while the caller sleeps and is woken.
#[test]
fn the_caller_sleeps_and_is_woken_like_a_worker() {
    finishes(|| {
        let pool = asleep(Pool::builder().threads(2));
        for _ in 0..200 {
            let (begun, may_end) = (Flag::default(), Flag::default());
            thread::scope(|s| {
                s.spawn(|| {
                    begun.wait();
                    may_end.raise();
                });
                pool.join(
                    || begun.wait(),
                    || {
                        begun.raise();
                        may_end.wait();
                    },
                );
            });
        }
    });
}
