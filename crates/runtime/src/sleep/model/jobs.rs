//! Idle workers that fall asleep while a job comes from outside.

use std::sync::Arc;

use loom::thread;

use super::model;
use super::pool::Pool;

/// The dispatcher puts the job into the queue before it takes the lock of the sleepers.
#[test]
fn an_idle_worker_and_a_job() {
    model(|| {
        let pool = Pool::new(1);
        let idle = thread::spawn({
            let pool = Arc::clone(&pool);
            move || pool.work_once(0)
        });
        pool.dispatch(0);
        idle.join().unwrap();
    });
}

/// A job and a fork at the same time, for one idle worker that comes twice.
#[test]
fn a_job_and_a_fork() {
    model(|| {
        let pool = Pool::new(2);
        let idle = thread::spawn({
            let pool = Arc::clone(&pool);
            move || {
                pool.work_once(0);
                pool.work_once(0);
            }
        });
        let dispatching = thread::spawn({
            let pool = Arc::clone(&pool);
            move || pool.dispatch(0)
        });
        pool.fork(1);
        dispatching.join().unwrap();
        idle.join().unwrap();
    });
}
