//! A value for each worker, whatever waits and whichever thread has the seat.
#![cfg(not(any(loom, shuttle)))]

mod common;

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use common::{caught, finishes, on_pools, panic_with, pool};
use filch::{WorkerLocal, join};

fn tree(depth: u32, leaf: &(impl Fn() + Sync)) {
    if depth == 0 {
        return leaf();
    }
    join(|| tree(depth - 1, leaf), || tree(depth - 1, leaf));
}

/// Increments without atomics: two threads with the same value would lose some.
#[test]
fn no_increment_is_lost() {
    on_pools(|pool| {
        let mut counts = pool.worker_local(|| Cell::new(0u64));
        for _ in 0..20 {
            let count = || counts.with(|count| count.set(count.get() + 1));
            pool.install(|| tree(10, &count));
        }
        assert_eq!(
            counts.values_mut().map(|count| count.get()).sum::<u64>(),
            20 << 10
        );
        assert!(counts.into_values().count() <= 4 * pool.threads());
    });
}

/// Threads from outside borrow the seats of sleeping workers, again and again, while the workers
/// run jobs: value and seat go together.
#[test]
fn borrowers_have_the_value_of_their_seat() {
    finishes(|| {
        let pool = Arc::new(pool(3));
        let counts = Arc::new(pool.worker_local(|| Cell::new(0u64)));
        std::thread::scope(|threads| {
            for _ in 0..3 {
                threads.spawn(|| {
                    for _ in 0..500 {
                        let count = || counts.with(|count| count.set(count.get() + 1));
                        pool.scope(|_| tree(3, &count));
                        let counts = Arc::clone(&counts);
                        let job = move || counts.with(|count| count.set(count.get() + 1));
                        pool.spawn(job).join().unwrap();
                    }
                });
            }
        });
        drop(pool);
        let counts = Arc::into_inner(counts).expect("all jobs have ended");
        assert_eq!(
            counts.into_values().map(Cell::into_inner).sum::<u64>(),
            3 * 500 * 9
        );
    });
}

/// A worker waits within `with`, and what it runs meanwhile has the same value.
#[test]
fn a_worker_that_waits_lends_the_value_again() {
    on_pools(|pool| {
        let depth = pool.worker_local(|| Cell::new(0u32));
        fn nest(layers: u32, depth: &WorkerLocal<Cell<u32>, impl Fn() -> Cell<u32> + Sync>) {
            if layers == 0 {
                return;
            }
            let enter = |change: i32| {
                depth.with(|depth| depth.set(depth.get().checked_add_signed(change).unwrap()));
            };
            depth.with(|_| {
                enter(1);
                join(|| nest(layers - 1, depth), || nest(layers - 1, depth));
                enter(-1);
            });
        }
        pool.install(|| nest(9, &depth));
        assert!(depth.into_values().all(|depth| depth.get() == 0));
    });
}

/// The initialiser waits for work that asks for the value itself.
#[test]
fn an_initialiser_that_waits() {
    finishes(|| {
        let pool = pool(1);
        let made = AtomicUsize::new(0);
        let inner: Mutex<Option<&(dyn Fn() -> usize + Sync)>> = Mutex::new(None);
        let local = pool.worker_local(|| {
            let number = made.fetch_add(1, Ordering::Relaxed);
            if number == 0 {
                let inner = *inner.lock().unwrap();
                join(|| inner.map(|ask| assert_eq!(ask(), 1)), || ());
            }
            number
        });
        let ask = || local.with(|number| *number);
        *inner.lock().unwrap() = Some(&ask);
        assert_eq!(pool.install(ask), 1, "the first that was ready");
        *inner.lock().unwrap() = None;
        assert_eq!(made.load(Ordering::Relaxed), 2);
    });
}

#[test]
fn an_initialiser_that_panics() {
    let pool = pool(1);
    let fails = AtomicUsize::new(1);
    let local = pool.worker_local(|| match fails.swap(0, Ordering::Relaxed) {
        1 => panic_with(3),
        _ => 5,
    });
    assert_eq!(caught(|| pool.install(|| local.with(|_| ()))), 3);
    assert_eq!(pool.install(|| local.with(|value| *value)), 5);
}

/// Another thread, or a worker of another pool with the same index, has no value.
#[test]
fn only_workers_of_the_pool_have_values() {
    let (one, other) = (pool(1), pool(1));
    let local = one.worker_local(|| 1);
    assert_eq!(local.try_with(|value| *value), None);
    assert_eq!(other.install(|| local.try_with(|value| *value)), None);
    assert!(catch_unwind(AssertUnwindSafe(|| local.with(|value| *value))).is_err());
    assert_eq!(one.install(|| local.try_with(|value| *value)), Some(1));
    assert_eq!(local.into_values().collect::<Vec<_>>(), [1]);
}

#[test]
fn of_the_current_pool() {
    let pool = pool(2);
    let local = pool.install(|| WorkerLocal::new(|| 2));
    assert_eq!(pool.install(|| local.with(|value| *value)), 2);
    let global = WorkerLocal::new(|| RefCell::new(Vec::new()));
    filch::scope(|s| {
        for number in 0..50 {
            let global = &global;
            s.spawn(move |_| global.with(|numbers| numbers.borrow_mut().push(number)));
        }
    });
    let all = global.reduce(|one, other| {
        one.borrow_mut().append(&mut other.borrow_mut());
        one
    });
    let mut all = all.unwrap().into_inner();
    all.sort_unstable();
    assert!(all.into_iter().eq(0..50));
}

/// Every value is dropped once, also those that are not visited.
#[test]
fn values_are_dropped() {
    on_pools(|pool| {
        let value = Arc::new(());
        let local = pool.worker_local(|| Arc::clone(&value));
        pool.install(|| tree(8, &|| local.with(|_| ())));
        let made = Arc::strong_count(&value) - 1;
        assert!(made > 0);
        drop(local);
        assert_eq!(Arc::strong_count(&value), 1);
    });
}
