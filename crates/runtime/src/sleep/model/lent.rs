//! A thread from outside in the place of a worker that sleeps.

use std::sync::Arc;

use loom::thread;

use super::model;
use super::pool::Pool;

/// A job is sent to a worker in whose place another thread is at the moment.
#[test]
fn a_lent_place_and_a_job() {
    model(|| {
        let pool = Pool::new(1);
        let idle = thread::spawn({
            let pool = Arc::clone(&pool);
            move || pool.work_once(0)
        });
        let lent = thread::spawn({
            let pool = Arc::clone(&pool);
            move || pool.borrow_a_seat(false)
        });
        pool.dispatch(0);
        lent.join().unwrap();
        idle.join().unwrap();
    });
}

/// The thread from outside forks in the place of one sleeper, and another has to come; or it finds none, and
/// the job goes to a queue. The place it gives back is that of a worker which has to come for a fork.
#[test]
fn a_lent_place_and_two_forks() {
    model(|| {
        let pool = Pool::new(3);
        let idle = [0, 1].map(|index| {
            let pool = Arc::clone(&pool);
            thread::spawn(move || pool.work_once(index))
        });
        let forked = pool.borrow_a_seat(true);
        pool.fork(2);
        if !forked {
            pool.fork(2);
        }
        for worker in idle {
            worker.join().unwrap();
        }
    });
}
