//! A thread from outside that borrows the seat of a sleeping worker.

use std::sync::Arc;

use loom::thread;

use super::model;
use super::pool::Pool;

/// A job is sent to a worker while its seat is lent.
#[test]
fn a_lent_seat_and_a_job() {
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

/// The thread from outside borrows the seat of one sleeper and forks, and another worker has to
/// come; or no worker sleeps. The worker whose seat is given back has to come for a fork.
#[test]
fn a_lent_seat_and_two_forks() {
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
