//! What upstream promises of `current_thread_index`, while spare threads take over from waiting
//! ones.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{sleep, yield_now};
use std::time::{Duration, Instant};

use rayon_core::{ThreadPoolBuilder, current_num_threads, current_thread_index, join};

/// Runs `item` some hundred times under a scope, on pools of several sizes.
fn on_pools(item: impl Fn() + Sync) {
    for threads in [2, 4, 8] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().scope(|s| {
            for _ in 0..50 * threads {
                s.spawn(|_| item());
            }
        });
    }
}

/// Runs for a while, and checks that no other closure that runs has the same number.
fn alone(used: &[AtomicBool], micros: u64) -> usize {
    let number = current_thread_index().unwrap();
    assert!(number < current_num_threads());
    assert!(
        !used[number].swap(true, Ordering::SeqCst),
        "two have {number}"
    );
    sleep(Duration::from_micros(micros));
    assert_eq!(current_thread_index(), Some(number));
    assert!(used[number].swap(false, Ordering::SeqCst));
    number
}

fn unused() -> Vec<AtomicBool> {
    (0..8).map(|_| AtomicBool::new(false)).collect()
}

#[test]
fn numbers_are_small_and_differ_and_do_not_change() {
    let used = unused();
    on_pools(|| {
        let before = alone(&used, 10);
        join(|| alone(&used, 50), || alone(&used, 500));
        assert_eq!(alone(&used, 10), before);
    });
}

/// Only leaves ask, which half of the time are on a spare thread.
#[test]
fn leaves_that_ask() {
    let (used, sum) = (unused(), AtomicUsize::new(0));
    on_pools(|| {
        join(
            || sleep(Duration::from_micros(50)),
            || sum.fetch_add(alone(&used, 300), Ordering::Relaxed),
        );
    });
}

/// The holder of a lock waits in a join, and the thread that took over has its number and wants the
/// lock.
#[test]
fn a_lock_held_across_a_join_by_closures_that_ask() {
    let lock = Mutex::new(());
    on_pools(|| {
        assert!(current_thread_index().unwrap() < current_num_threads());
        let held = lock.lock().unwrap();
        join(
            || sleep(Duration::from_micros(10)),
            || sleep(Duration::from_micros(100)),
        );
        assert!(current_thread_index().unwrap() < current_num_threads());
        drop(held);
    });
}

/// A worker comes back from another pool, while as many other closures run as there are numbers
/// left, and one more. That one has to wait, for as long as the others run.
#[test]
fn more_closures_than_numbers() {
    let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build();
    let (pool, other) = (pool(2).unwrap(), pool(1).unwrap());
    let (used, begun, back) = (unused(), AtomicUsize::new(0), AtomicBool::new(false));
    let wait_until = |condition: &dyn Fn() -> bool| {
        while !condition() {
            yield_now();
        }
    };
    let runs = || {
        let number = current_thread_index().unwrap();
        assert!(
            !used[number].swap(true, Ordering::SeqCst),
            "two have {number}"
        );
        let end = Instant::now() + Duration::from_millis(150);
        wait_until(&|| Instant::now() > end);
        assert!(used[number].swap(false, Ordering::SeqCst));
    };
    pool.scope(|s| {
        for _ in 0..2 {
            s.spawn(|_| {
                begun.fetch_add(1, Ordering::SeqCst);
                wait_until(&|| back.load(Ordering::SeqCst));
                runs();
            });
        }
        other.install(|| wait_until(&|| begun.load(Ordering::SeqCst) == 2));
        back.store(true, Ordering::SeqCst);
        runs();
    });
}
