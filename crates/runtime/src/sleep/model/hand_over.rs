//! Waiters that hand over, and the way back.

use std::sync::Arc;

use loom::thread;

use super::model;
use super::pool::Pool;
use crate::latch::Latch;

fn set(latch: &Latch) {
    // SAFETY: the latch and the parker live to the end of the model.
    unsafe { Latch::set(core::ptr::NonNull::from(latch)) };
}

/// Worker 0 falls asleep while it waits, and nothing is below its latch. Worker 1 forks once,
/// before or after that, and goes on only when a thread has taken the item: the spare thread has to
/// come.
#[test]
fn a_waiter_and_a_fork_that_is_not_below_it() {
    model(|| {
        let pool = Pool::with_spares(2, 1);
        let latch = Arc::new(Latch::new());
        let waiting = thread::spawn({
            let (pool, latch) = (Arc::clone(&pool), Arc::clone(&latch));
            move || pool.wait_for(&latch, 0, || unreachable!("nothing is below the latch"))
        });
        let spare = thread::spawn({
            let (pool, latch) = (Arc::clone(&pool), Arc::clone(&latch));
            move || {
                let _ = pool.workers[2].parker.park();
                pool.search_until_found(2);
                // The item was what worker 0 waits for, through worker 1.
                set(&latch);
            }
        });
        pool.fork(1);
        waiting.join().unwrap();
        spare.join().unwrap();
    });
}

/// As above, with a job that a dispatcher puts into the queue of the waiter: it may not run it, and
/// the spare thread takes it from there.
#[test]
fn a_waiter_and_a_job_in_its_queue() {
    model(|| {
        let pool = Pool::with_spares(1, 1);
        let latch = Arc::new(Latch::new());
        let waiting = thread::spawn({
            let (pool, latch) = (Arc::clone(&pool), Arc::clone(&latch));
            move || pool.wait_for(&latch, 0, || unreachable!("nothing is below the latch"))
        });
        let spare = thread::spawn({
            let (pool, latch) = (Arc::clone(&pool), Arc::clone(&latch));
            move || {
                let _ = pool.workers[1].parker.park();
                pool.search_queues_until_found(1);
                set(&latch);
            }
        });
        pool.dispatch(0);
        pool.wake_unless_searching();
        waiting.join().unwrap();
        spare.join().unwrap();
    });
}

/// The way back: the latch of the waiter is set by the spare thread, which then finds one thread
/// too many and sleeps; the waiter forks, waits again, and the spare thread has to come again.
#[test]
fn a_waiter_that_goes_on_and_waits_again() {
    model(|| {
        let pool = Pool::with_spares(1, 1);
        let latches = Arc::new([Latch::new(), Latch::new()]);
        let spare = thread::spawn({
            let (pool, latches) = (Arc::clone(&pool), Arc::clone(&latches));
            move || {
                let _ = pool.workers[1].parker.park();
                pool.search_until_found(1);
                set(&latches[0]);
                pool.work_once(1);
                set(&latches[1]);
            }
        });
        for latch in latches.iter() {
            pool.fork(0);
            pool.wait_for(latch, 0, || unreachable!("nothing is below the latch"));
        }
        spare.join().unwrap();
        assert_eq!(pool.sleep.counts().active(), 2);
        assert_eq!(pool.sleep.counts().searching(), 0);
    });
}

/// Two waiters give up their processors for two spare threads, and each item is taken by another.
#[test]
fn two_waiters_and_two_items() {
    model(|| {
        let pool = Pool::with_spares(2, 1);
        let latches = Arc::new([Latch::new(), Latch::new()]);
        let waiting = thread::spawn({
            let (pool, latches) = (Arc::clone(&pool), Arc::clone(&latches));
            move || {
                pool.fork(0);
                pool.wait_for(&latches[0], 0, || {
                    unreachable!("nothing is below the latch")
                });
            }
        });
        let spare = thread::spawn({
            let (pool, latches) = (Arc::clone(&pool), Arc::clone(&latches));
            move || {
                let _ = pool.workers[2].parker.park();
                pool.search_until_found(2);
                pool.work_once(2);
                set(&latches[0]);
                set(&latches[1]);
            }
        });
        pool.fork(1);
        pool.wait_for(&latches[1], 1, || {
            unreachable!("nothing is below the latch")
        });
        waiting.join().unwrap();
        spare.join().unwrap();
    });
}

/// Worker 0 blocks for ever while worker 1 forks once: the spare thread has to come.
#[test]
fn a_worker_that_blocks_and_a_fork() {
    model(|| {
        let pool = Pool::with_spares(2, 1);
        let blocking = thread::spawn({
            let pool = Arc::clone(&pool);
            move || pool.block(0)
        });
        let spare = thread::spawn({
            let pool = Arc::clone(&pool);
            move || {
                let _ = pool.workers[2].parker.park();
                pool.search_until_found(2);
            }
        });
        pool.fork(1);
        blocking.join().unwrap();
        spare.join().unwrap();
        assert_eq!(pool.sleep.counts().active(), 2);
    });
}

/// A fork wakes the waiter above it if the pool wants a searcher, and then no other thread.
#[test]
fn a_fork_wakes_one_thread_if_one_is_wanted() {
    model(|| {
        let pool = Pool::with_spares(2, 1);
        let latch = Latch::new();
        pool.sleep.tally().block();
        assert!(latch.fall_asleep(&pool.workers[0].parker));
        pool.workers[1].take_root(&latch);
        let fork_wakes_it = || {
            pool.workers[1].attention.raise();
            pool.fork(1);
            !latch.is_asleep()
        };
        assert_eq!(pool.sleep.take_any(), Some(2));
        assert!(!fork_wakes_it(), "the spare thread searches");
        assert!(pool.sleep.end_search().is_none());
        assert!(!fork_wakes_it(), "the pool is full");
        pool.sleep.begin_search();
        let _ = pool.sleep.enter(2);
        assert!(fork_wakes_it());
        let counts = pool.sleep.counts();
        let all = (counts.active(), counts.searching(), counts.sleeping());
        assert_eq!(all, (2, 1, 1), "the spare thread sleeps on");
    });
}

/// A waiter that searches and stays awake still searches: it looks for work that others may run
/// when it ends its search.
#[test]
fn a_searcher_that_stays_awake_still_searches() {
    model(|| {
        let pool = Pool::new(2);
        pool.sleep.begin_search();
        let mut searches = true;
        pool.sleep_waiting(&Latch::new(), 0, &mut searches, |_| true);
        assert!(searches);
        let counts = pool.sleep.counts();
        assert_eq!((counts.active(), counts.searching()), (2, 1));
    });
}
