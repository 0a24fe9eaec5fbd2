//! Workers that sleep while they wait.

use std::sync::Arc;

use loom::sync::{Condvar, Mutex};
use loom::thread;

use super::model;
use super::pool::{Pool, take_one};
use crate::latch::Latch;
use crate::sync::atomic::{Ordering, fence};

/// Lets a worker that has forked wait until its items were taken.
#[derive(Default)]
struct Taken {
    count: Mutex<usize>,
    changed: Condvar,
}

impl Taken {
    fn one(&self) {
        *self.count.lock().unwrap() += 1;
        self.changed.notify_one();
    }

    fn wait_for(&self, count: usize) {
        let mut taken = self.count.lock().unwrap();
        while *taken < count {
            taken = self.changed.wait(taken).unwrap();
        }
    }
}

/// Worker 0 waits; the test itself runs the stolen child as worker 1.
fn waiting(child: impl Fn(&Pool, &Latch, &Taken) + Sync + Send + 'static) {
    model(move || {
        let pool = Pool::new(2);
        let latch = Arc::new(Latch::new());
        let taken = Arc::new(Taken::default());
        let waiting = thread::spawn({
            let (pool, latch, taken) = (Arc::clone(&pool), Arc::clone(&latch), Arc::clone(&taken));
            move || pool.wait_for(&latch, 0, || taken.one())
        });
        child(&pool, &latch, &taken);
        // SAFETY: the latch and the parker live to the end of the model.
        unsafe { Latch::set(core::ptr::NonNull::from(&*latch)) };
        waiting.join().unwrap();
    });
}

#[test]
fn a_waiting_worker_and_the_end_of_its_child() {
    waiting(|pool, latch, _| pool.workers[1].take_root(latch));
}

#[test]
fn a_waiting_worker_and_a_fork_below_it() {
    waiting(|pool, latch, taken| {
        pool.workers[1].take_root(latch);
        pool.fork(1);
        taken.wait_for(1);
    });
}

#[test]
fn a_waiting_worker_and_two_forks_below_it() {
    waiting(|pool, latch, taken| {
        pool.workers[1].take_root(latch);
        pool.fork(1);
        taken.wait_for(1);
        pool.fork(1);
        taken.wait_for(2);
    });
}

/// The child goes on below another latch, for which no worker waits, and returns.
#[test]
fn a_waiting_worker_and_a_child_that_comes_back() {
    waiting(|pool, latch, taken| {
        let worker = &pool.workers[1];
        let deeper = Latch::new();
        worker.take_root(latch);
        worker.take_root(&deeper);
        fence(Ordering::SeqCst);
        pool.attend(1);
        worker.take_root(latch);
        pool.fork(1);
        taken.wait_for(1);
    });
}

/// Worker 0 waits for a child that ends only after worker 0 has run its share of a broadcast.
#[test]
fn a_waiting_worker_and_a_broadcast() {
    model(|| {
        let pool = Pool::new(2);
        let latch = Arc::new(Latch::new());
        let taken = Arc::new(Taken::default());
        let waiting = thread::spawn({
            let (pool, latch, taken) = (Arc::clone(&pool), Arc::clone(&latch), Arc::clone(&taken));
            move || {
                let worker = &pool.workers[0];
                let mut searches = false;
                while !latch.is_set() {
                    if take_one(&worker.queue) {
                        pool.end_search_of_waiter(&mut searches, 0);
                        taken.one();
                        continue;
                    }
                    let has_share = |_| worker.queue.load(Ordering::SeqCst) > 0;
                    worker.sleep_slot.while_asleep_on(&latch, || {
                        pool.sleep_waiting(&latch, 0, &mut searches, has_share);
                    });
                }
                pool.end_search_of_waiter(&mut searches, 0);
            }
        });
        // As `PoolShared::broadcast` in the runtime.
        pool.dispatch(0);
        pool.workers[0].sleep_slot.wake();
        taken.wait_for(1);
        // SAFETY: the latch and the parker live to the end of the model.
        unsafe { Latch::set(core::ptr::NonNull::from(&*latch)) };
        waiting.join().unwrap();
    });
}

/// A worker waits for another pool and may be called meanwhile.
#[test]
fn a_worker_that_waits_for_another_pool_and_a_call() {
    model(|| {
        let pool = Pool::new(1);
        let latch = Arc::new(Latch::new());
        let waiting = thread::spawn({
            let (pool, latch) = (Arc::clone(&pool), Arc::clone(&latch));
            move || {
                let worker = &pool.workers[0];
                let mut searches = false;
                while !take_one(&worker.queue) {
                    let is_called = |_| worker.queue.load(Ordering::SeqCst) > 0;
                    pool.sleep_waiting(&latch, 0, &mut searches, is_called);
                }
            }
        });
        pool.workers[0].queue.store(1, Ordering::SeqCst);
        latch.wake();
        waiting.join().unwrap();
    });
}
