//! Locks held across parallel iterators.

use std::sync::{Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use rayon::ThreadPool;
use rayon::prelude::*;

use super::pool;

fn compute() {
    let began = Instant::now();
    while began.elapsed() < Duration::from_micros(5) {
        std::hint::spin_loop();
    }
}

/// An iterator whose parts are stolen, and take so long that the thread that waits for one looks
/// for other work.
pub(super) fn inner() -> usize {
    let parts = (0..16_usize).into_par_iter().with_max_len(1).map(|n| {
        thread::sleep(Duration::from_micros(50));
        n
    });
    parts.sum()
}

/// Tasks from outside the pool: a worker that looks for work takes one.
pub(super) fn tasks(pool: &ThreadPool, number: usize, task: &(dyn Fn(usize) + Sync)) {
    pool.in_place_scope(|s| (0..number).for_each(|n| s.spawn(move |_| task(n))));
}

/// A worker that waits for a stolen part starts a task that takes the lock, which lies beneath it.
pub(super) fn across_an_iterator(threads: usize) {
    let total = Mutex::new(0);
    tasks(&pool(threads), 800, &|task| {
        if task % 4 == 0 {
            let mut total = total.lock().expect("no task panics");
            *total += inner();
        } else {
            compute();
        }
    });
    assert_eq!(total.into_inner().expect("no task panics"), 200 * 120);
}

/// The same with an initialiser that runs once.
pub(super) fn lazy_initialiser(threads: usize) {
    let values: Vec<OnceLock<usize>> = (0..200).map(|_| OnceLock::new()).collect();
    tasks(&pool(threads), 6_400, &|task| {
        if task % 4 == 0 {
            assert_eq!(*values[task / 32].get_or_init(inner), 120);
        } else {
            compute();
        }
    });
}
