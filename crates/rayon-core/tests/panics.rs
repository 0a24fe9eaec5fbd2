//! What runs after a panic, or beside one, is as undisturbed as on upstream's core.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon_core::{ThreadPool, ThreadPoolBuilder};

fn give_up() -> ! {
    resume_unwind(Box::new(1))
}

fn on_pools(test: impl Fn(&ThreadPool)) {
    for threads in [1, 2, 8] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        test(&pool.unwrap());
    }
}

/// A panic under a lock poisons it, and the thread does not unwind.
fn is_undisturbed() -> bool {
    let mutex = Mutex::new(());
    let poison = catch_unwind(AssertUnwindSafe(|| {
        let _locked = mutex.lock();
        give_up()
    }));
    !std::thread::panicking() && poison.is_err() && mutex.is_poisoned()
}

fn panics<R>(work: impl FnOnce() -> R) {
    assert!(catch_unwind(AssertUnwindSafe(work)).is_err());
}

#[test]
fn the_children_of_a_scope_that_panicked() {
    on_pools(|pool| {
        let undisturbed = AtomicUsize::new(0);
        let count = || {
            undisturbed.fetch_add(usize::from(is_undisturbed()), Ordering::SeqCst);
        };
        panics(|| {
            pool.scope(|s| {
                s.spawn(|s| {
                    s.spawn(|_| count());
                    count();
                    give_up()
                });
                give_up()
            })
        });
        panics(|| {
            pool.scope_fifo(|s| {
                s.spawn_fifo(|_| count());
                give_up()
            })
        });
        panics(|| {
            pool.in_place_scope(|s| {
                s.spawn(|_| count());
                give_up()
            })
        });
        assert_eq!(undisturbed.into_inner(), 4);
    });
}

#[test]
fn the_shares_of_a_broadcast() {
    on_pools(|pool| {
        let undisturbed = AtomicUsize::new(0);
        let count = || {
            undisturbed.fetch_add(usize::from(is_undisturbed()), Ordering::SeqCst);
        };
        panics(|| {
            pool.broadcast(|_| {
                count();
                give_up()
            })
        });
        panics(|| {
            pool.scope(|s| {
                s.spawn_broadcast(|_, _| count());
                give_up()
            })
        });
        assert_eq!(undisturbed.into_inner(), 2 * pool.current_num_threads());
    });
}
