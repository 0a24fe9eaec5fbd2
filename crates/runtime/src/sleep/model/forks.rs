//! Idle workers that fall asleep while others fork or stop searching.

use std::sync::Arc;

use loom::thread;

use super::model;
use super::pool::Pool;

#[test]
fn an_idle_worker_and_a_fork() {
    model(|| {
        let pool = Pool::new(2);
        let idle = thread::spawn({
            let pool = Arc::clone(&pool);
            move || pool.work_once(0)
        });
        pool.fork(1);
        idle.join().unwrap();
    });
}

/// Both idle workers have to come: the one that is woken for the first item wakes the other.
#[test]
fn two_idle_workers_and_two_forks() {
    model(|| {
        let pool = Pool::new(3);
        let idle = [0, 1].map(|index| {
            let pool = Arc::clone(&pool);
            thread::spawn(move || pool.work_once(index))
        });
        pool.fork(2);
        pool.fork(2);
        for worker in idle {
            worker.join().unwrap();
        }
    });
}

/// Two workers fork one item each, and one idle worker comes twice.
#[test]
fn an_idle_worker_and_two_that_fork() {
    model(|| {
        let pool = Pool::new(3);
        let idle = thread::spawn({
            let pool = Arc::clone(&pool);
            move || {
                pool.work_once(0);
                pool.work_once(0);
            }
        });
        let forking = thread::spawn({
            let pool = Arc::clone(&pool);
            move || pool.fork(1)
        });
        pool.fork(2);
        idle.join().unwrap();
        forking.join().unwrap();
    });
}

/// A worker lowers its attention, which a thief had raised, while another worker falls asleep.
#[test]
fn attention_lowered_while_another_falls_asleep() {
    model(|| {
        let pool = Pool::new(2);
        pool.workers[1].attention.raise();
        let idle = thread::spawn({
            let pool = Arc::clone(&pool);
            move || {
                pool.work_once(0);
                pool.work_once(0);
            }
        });
        pool.fork(1);
        pool.fork(1);
        idle.join().unwrap();
    });
}

/// The last searcher finds a job and a third worker sleeps, while a worker forks that relies on the
/// searcher. The forking worker has lowered its attention before, because of the searcher.
#[test]
fn the_last_searcher_and_a_fork() {
    model(|| {
        let pool = Pool::new(3);
        // Worker 0 searches, and worker 1 is asleep.
        pool.sleep.begin_search();
        pool.sleep.begin_search();
        let _ = pool.sleep.enter(1);
        let searching = thread::spawn({
            let pool = Arc::clone(&pool);
            move || pool.found(0)
        });
        let asleep = thread::spawn({
            let pool = Arc::clone(&pool);
            move || {
                let _ = pool.workers[1].parker.park();
                pool.search_until_found(1);
            }
        });
        pool.fork(2);
        searching.join().unwrap();
        asleep.join().unwrap();
    });
}

/// One worker falls asleep, with or without HEAVY, while the other searcher finds a job and forks.
#[test]
fn a_worker_that_falls_asleep_and_one_that_stops_searching() {
    model(|| {
        let pool = Pool::new(2);
        pool.sleep.begin_search();
        let idle = thread::spawn({
            let pool = Arc::clone(&pool);
            move || pool.work_once(0)
        });
        pool.found(1);
        pool.fork(1);
        idle.join().unwrap();
    });
}

/// The same with a third worker that searches, falls asleep, and has to come for the second item.
#[test]
fn two_workers_that_fall_asleep_and_one_that_stops_searching() {
    model(|| {
        let pool = Pool::new(3);
        pool.sleep.begin_search();
        let idle = [0, 1].map(|index| {
            let pool = Arc::clone(&pool);
            thread::spawn(move || pool.work_once(index))
        });
        pool.found(2);
        pool.fork(2);
        pool.fork(2);
        for worker in idle {
            worker.join().unwrap();
        }
    });
}
