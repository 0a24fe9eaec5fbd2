//! After the first closure of a join has panicked, the second runs outside any unwinding.
#![cfg(not(any(loom, shuttle)))]

mod common;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, panicking};

use common::{Flag, caught, finishes, on_pools, panic_with, pool};

#[test]
fn the_second_closure_runs_outside_the_unwinding_of_the_first() {
    on_pools(|pool| {
        let was_panicking = AtomicBool::new(true);
        let second = || was_panicking.store(panicking(), Ordering::Relaxed);
        assert_eq!(caught(|| pool.join(|| panic_with(1), second)), 1);
        assert!(!was_panicking.into_inner());
    });
}

#[test]
fn a_lock_under_which_the_second_closure_panics_is_poisoned() {
    on_pools(|pool| {
        let lock = Mutex::new(());
        let second = || {
            let _held = lock.lock();
            panic_with(2)
        };
        assert_eq!(caught(|| pool.join(|| panic_with(1), second)), 1);
        assert!(lock.is_poisoned());
    });
}

/// The worker whose first closure has panicked waits for a thief, and serves a broadcast meanwhile.
#[test]
fn what_is_served_while_the_second_closure_is_awaited_runs_outside_the_unwinding() {
    finishes(|| {
        let pool = pool(2);
        for _ in 0..20 {
            let (stolen, served) = (Flag::default(), Flag::default());
            let waiter = AtomicUsize::new(usize::MAX);
            let was_panicking = AtomicBool::new(false);
            let first = || {
                let index = filch::current_worker().expect("a worker joins");
                waiter.store(index, Ordering::Relaxed);
                stolen.wait();
                panic_with(1)
            };
            let second = || {
                stolen.raise();
                served.wait();
            };
            thread::scope(|scope| {
                scope.spawn(|| assert_eq!(caught(|| pool.join(first, second)), 1));
                stolen.wait();
                pool.broadcast(|share| {
                    was_panicking.fetch_or(panicking(), Ordering::Relaxed);
                    if share.index() == waiter.load(Ordering::Relaxed) {
                        served.raise();
                    }
                });
            });
            assert!(!was_panicking.into_inner());
        }
    });
}

/// Jobs that lie above the second closure in the deque run before it.
#[test]
fn what_lies_above_the_second_closure_runs_outside_the_unwinding() {
    on_pools(|pool| {
        let was_panicking = AtomicBool::new(false);
        let look = || was_panicking.fetch_or(panicking(), Ordering::Relaxed);
        let joined = || {
            pool.scope(|scope| {
                let first = || {
                    scope.spawn(|_| _ = look());
                    panic_with(1)
                };
                filch::join(first, look);
            });
        };
        assert_eq!(caught(joined), 1);
        assert!(!was_panicking.into_inner());
    });
}
