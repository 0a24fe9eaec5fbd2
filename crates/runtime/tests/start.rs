//! Pools whose threads are provided by the caller, and some of whose workers never start.
#![cfg(not(any(loom, shuttle)))]

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use common::finishes;
use filch::internals::{WorkerStart, run_one_here};
use filch::{IdlePolicy, Pool, scope};

/// A pool of `workers` workers that sleep at once. `keep` says what is done with each worker that
/// is given to a thread. Returns the threads too, because the pool does not wait for them.
fn pool_of(
    workers: usize,
    here: bool,
    mut keep: impl FnMut(WorkerStart) -> Option<WorkerStart>,
) -> (Pool, Vec<JoinHandle<()>>) {
    let mut threads = Vec::new();
    let builder = Pool::builder().threads(workers).idle(IdlePolicy::Park);
    let spawn = |worker| {
        threads.extend(keep(worker).map(|worker| thread::spawn(|| worker.run())));
        Ok(())
    };
    let pool = builder.build_with(|_| None, here, spawn).unwrap();
    (pool, threads)
}

fn end(threads: Vec<JoinHandle<()>>) {
    for thread in threads {
        thread.join().unwrap();
    }
}

/// The thread that is worker 0 does other things; the other workers end when the pool is dropped.
#[test]
fn the_others_end_without_a_borrowed_thread() {
    finishes(|| {
        let (pool, threads) = pool_of(3, true, Some);
        let count = AtomicUsize::new(0);
        scope(|s| {
            for _ in 0..100 {
                s.spawn(|_| {
                    count.fetch_add(1, Ordering::Relaxed);
                });
            }
        });
        assert_eq!(count.into_inner(), 100);
        // It also runs jobs of its queue, and the others end without it all the same.
        drop(pool.spawn(|| ()));
        assert!(run_one_here(false).is_some());
        drop(pool);
        end(threads);
    });
}

/// A job that is sent to a worker without a thread can be taken by others, and one of them is woken
/// for it.
#[test]
fn a_worker_that_never_starts_keeps_no_job() {
    finishes(|| {
        let begins = |worker: WorkerStart| (worker.index() != 1).then_some(worker);
        let (pool, threads) = pool_of(3, false, begins);
        for number in 0..500 {
            assert_eq!(pool.spawn(move || number).join().unwrap(), number);
        }
        drop(pool);
        end(threads);
    });
}

/// Whether a worker starts may be decided after the pool was dropped.
#[test]
fn a_worker_that_is_dropped_after_its_pool() {
    finishes(|| {
        for run in [false, true] {
            let mut late = None;
            let (pool, threads) = pool_of(3, false, |worker| {
                if worker.index() == 1 {
                    late = Some(worker);
                    None
                } else {
                    Some(worker)
                }
            });
            pool.spawn(|| ()).join().unwrap();
            drop(pool);
            // Time for the other workers to fall asleep again.
            thread::sleep(Duration::from_millis(10));
            let late = late.unwrap();
            if run {
                late.run();
            } else {
                drop(late);
            }
            end(threads);
        }
    });
}
