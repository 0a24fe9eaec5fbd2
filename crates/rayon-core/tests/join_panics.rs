//! After the first closure of a join has panicked, the second runs outside any unwinding.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::panicking;

use rayon_core::{ThreadPool, ThreadPoolBuilder, join, join_context};

fn pools() -> impl Iterator<Item = ThreadPool> {
    let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build();
    [1, 2]
        .into_iter()
        .map(move |threads| pool(threads).expect("threads start"))
}

/// What `work`, which panics with a number, panics with.
fn caught(work: impl FnOnce()) -> u32 {
    let panic = catch_unwind(AssertUnwindSafe(work)).expect_err("it panics");
    *panic.downcast().expect("a number")
}

fn panic_with(number: u32) {
    resume_unwind(Box::new(number));
}

#[test]
fn the_second_closure_runs_outside_the_unwinding_of_the_first() {
    for pool in pools() {
        let was_panicking = AtomicBool::new(true);
        let second = || was_panicking.store(panicking(), Ordering::Relaxed);
        let joined = || pool.install(|| _ = join(|| panic_with(1), second));
        assert_eq!(caught(joined), 1);
        assert!(!was_panicking.into_inner());
    }
}

#[test]
fn a_lock_under_which_the_second_closure_panics_is_poisoned() {
    for pool in pools() {
        let lock = Mutex::new(());
        let second = |_| {
            let _held = lock.lock();
            panic_with(2);
        };
        let joined = || pool.install(|| _ = join_context(|_| panic_with(1), second));
        assert_eq!(caught(joined), 1);
        assert!(lock.is_poisoned());
    }
}
