//! Pools that call each other, and jobs that yield.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use super::pool;

/// The call ends when a job of the calling pool has run.
pub(super) fn job_across_a_call(threads: usize) {
    let (a, b) = (pool(threads), pool(threads));
    let (send, receive) = channel();
    let (started, is_started) = channel();
    thread::scope(|callers| {
        let (a, b) = (&a, &b);
        callers.spawn(move || {
            b.install(move || {
                a.install(move || {
                    started.send(()).expect("it is read");
                    assert_eq!(receive.recv(), Ok(7));
                });
            });
        });
        is_started.recv().expect("the call starts");
        b.install(|| send.send(7).expect("it is read"));
    });
}

/// A younger call comes to lie on top of an older one, and calls the pool that waits for the older.
pub(super) fn yield_under_calls(threads: usize) {
    let (a, b, c) = (pool(threads), pool(threads), pool(threads));
    let (started, done) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|callers| {
        callers.spawn(|| {
            b.install(|| {
                a.install(|| {
                    started.store(true, Ordering::SeqCst);
                    while !done.load(Ordering::SeqCst) {
                        rayon::yield_now();
                    }
                });
            });
        });
        while !started.load(Ordering::SeqCst) {
            thread::yield_now();
        }
        c.install(|| {
            a.install(|| {
                b.install(|| ());
                done.store(true, Ordering::SeqCst);
            });
        });
    });
}

/// Both halves of a join call another pool, and from there the pool of the other half.
pub(super) fn siblings(threads: usize) {
    let (a, b, c) = (pool(2), pool(threads), pool(threads));
    for _ in 0..100 {
        // Outside every pool there is no call yet: the outer call makes the two siblings.
        let outer = pool(1);
        let both = Barrier::new(2);
        outer.install(|| {
            a.install(|| {
                rayon::join(
                    || {
                        b.install(|| {
                            both.wait();
                            c.install(|| ());
                        });
                    },
                    || {
                        c.install(|| {
                            both.wait();
                            b.install(|| ());
                        });
                    },
                );
            });
        });
    }
}

/// A job that has asked for its index yields until every thread has run its share of a broadcast,
/// also the one that waits for a stolen half.
pub(super) fn yield_with_index(threads: usize) {
    let pool = pool(threads);
    for _ in 0..20 {
        let (started, done) = (AtomicBool::new(false), AtomicBool::new(false));
        thread::scope(|callers| {
            callers.spawn(|| {
                let wait = || while !started.load(Ordering::SeqCst) {};
                let half = || {
                    started.store(true, Ordering::SeqCst);
                    while !done.load(Ordering::SeqCst) {
                        rayon::yield_now();
                    }
                };
                pool.join(wait, half);
            });
            while !started.load(Ordering::SeqCst) {
                thread::yield_now();
            }
            // The other half waits asleep by now, most of the time.
            thread::sleep(Duration::from_millis(2));
            pool.install(|| {
                assert!(rayon::current_thread_index().is_some());
                let (send, receive) = channel();
                rayon::spawn_broadcast(move |context| {
                    send.send(context.index()).expect("it is read");
                });
                let mut shares = 0;
                while shares < threads {
                    rayon::yield_now();
                    shares += receive.try_iter().count();
                }
            });
            done.store(true, Ordering::SeqCst);
        });
    }
}
