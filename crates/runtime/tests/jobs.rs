//! Independent jobs: none is lost, none waits for ever, and each worker runs its own in order.
#![cfg(not(any(loom, shuttle)))]

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::thread;

use common::{Flag, IDLE_POLICIES, finishes, on_pools, pool};
use filch::{IdlePolicy, Pool};

#[test]
fn a_handle_returns_what_the_job_returns() {
    on_pools(|pool| {
        assert_eq!(pool.spawn(|| 6 * 7).join().unwrap(), 42);
        let inside = pool.install(|| filch::spawn(filch::current_worker).join().unwrap());
        assert!(inside.is_some());
    });
}

#[test]
fn a_handle_knows_when_its_job_has_ended() {
    on_pools(|pool| {
        let go = Arc::new(Flag::default());
        let wait = Arc::clone(&go);
        let handle = pool.spawn(move || wait.wait());
        assert!(!handle.is_finished());
        go.raise();
        common::wait_until(|| handle.is_finished());
        handle.join().unwrap();
    });
}

#[test]
fn a_job_waits_for_the_jobs_that_it_spawned() {
    fn count(depth: u32) -> u32 {
        if depth == 0 {
            return 1;
        }
        let handles = [(); 3].map(|()| filch::spawn(move || count(depth - 1)));
        handles
            .into_iter()
            .map(|handle| handle.join().unwrap())
            .sum()
    }
    on_pools(|pool| assert_eq!(pool.spawn(|| count(6)).join().unwrap(), 3_u32.pow(6)));
}

#[test]
fn a_batch_returns_handles_in_its_own_order() {
    on_pools(|pool| {
        let handles = pool.spawn_batch((0..1_000).map(|number| move || number));
        let results: Vec<_> = handles
            .into_iter()
            .map(|handle| handle.join().unwrap())
            .collect();
        assert_eq!(results, (0..1_000).collect::<Vec<_>>());

        let inside = pool.install(|| filch::spawn_batch((0..100).map(|number| move || number)));
        let results: Vec<_> = inside
            .into_iter()
            .map(|handle| handle.join().unwrap())
            .collect();
        assert_eq!(results, (0..100).collect::<Vec<_>>());
    });
}

#[test]
fn an_empty_batch_is_no_batch() {
    on_pools(|pool| assert!(pool.spawn_batch(Vec::<fn()>::new()).is_empty()));
}

#[test]
fn jobs_outside_any_pool_run_on_the_global_one() {
    finishes(|| {
        assert!(
            filch::spawn(filch::current_worker)
                .join()
                .unwrap()
                .is_some()
        );
        let batch = filch::spawn_batch([filch::current_worker, filch::current_worker]);
        assert!(
            batch
                .into_iter()
                .all(|handle| handle.join().unwrap().is_some())
        );
    });
}

#[test]
fn jobs_with_dropped_handles_run_before_their_pool_ends() {
    finishes(|| {
        for threads in [1, 2, 3, 8] {
            let pool = pool(threads);
            let count = Arc::new(AtomicUsize::new(0));
            for _ in 0..500 {
                let count = Arc::clone(&count);
                drop(pool.spawn(move || {
                    let again = Arc::clone(&count);
                    drop(filch::spawn(move || again.fetch_add(1, Ordering::Relaxed)));
                    count.fetch_add(1, Ordering::Relaxed);
                }));
            }
            drop(pool);
            assert_eq!(count.load(Ordering::Relaxed), 1_000);
        }
    });
}

#[test]
fn one_worker_runs_jobs_first_come_first_served() {
    finishes(|| {
        let pool = pool(1);
        let order = Arc::new(Mutex::new(Vec::new()));
        let go = Arc::new(Flag::default());
        let wait = Arc::clone(&go);
        drop(pool.spawn(move || wait.wait()));
        for number in 0..500 {
            let order = Arc::clone(&order);
            let job = move || order.lock().unwrap().push(number);
            if number % 5 == 0 {
                drop(pool.spawn_batch([job]));
            } else {
                drop(pool.spawn(job));
            }
        }
        go.raise();
        drop(pool);
        assert_eq!(*order.lock().unwrap(), (0..500).collect::<Vec<_>>());
    });
}

/// A worker runs strict work that ends only when all jobs have run, so the other worker has to take
/// over the jobs that were sent to it.
fn check_that_jobs_leave_a_busy_worker(dispatch: &str, idle: IdlePolicy) {
    let pool = Pool::builder()
        .threads(2)
        .dispatch(dispatch.parse().unwrap())
        .idle(idle)
        .build();
    let pool = pool.unwrap();
    let done = Flag::default();
    let (held, is_held) = mpsc::channel();
    thread::scope(|threads| {
        threads.spawn(|| {
            pool.scope(|_| {
                held.send(()).unwrap();
                done.wait();
            });
        });
        is_held.recv().unwrap();
        for number in 0..20 {
            let job = move || number;
            assert_eq!(
                pool.spawn(job).join().unwrap(),
                number,
                "{dispatch}, {idle:?}"
            );
        }
        let batch = pool.spawn_batch((0..20).map(|number| move || number));
        for handle in batch {
            handle.join().unwrap();
        }
        done.raise();
    });
}

fn check_busy_worker(dispatches: [&'static str; 2]) {
    for dispatch in dispatches {
        for idle in IDLE_POLICIES {
            finishes(move || check_that_jobs_leave_a_busy_worker(dispatch, idle));
        }
    }
}

#[test]
fn jobs_find_the_idle_worker_by_its_token() {
    check_busy_worker(["pi", "jiq"]);
}

#[test]
fn jobs_find_the_idle_worker_by_its_queue() {
    check_busy_worker(["jsq", "jsq:2"]);
}

#[test]
fn jobs_sent_blindly_to_a_worker_busy_with_strict_work_are_taken_over_by_an_idle_one() {
    check_busy_worker(["random", "round-robin"]);
}

/// The same for jobs that the busy worker has spawned itself.
#[test]
fn jobs_that_a_busy_worker_spawned_are_taken_over_by_an_idle_one() {
    finishes(|| {
        for idle in IDLE_POLICIES {
            let pool = Pool::builder().threads(2).idle(idle).build().unwrap();
            let done = Arc::new(Flag::default());
            pool.install(|| {
                let raise = Arc::clone(&done);
                drop(filch::spawn(move || raise.raise()));
                done.wait();
            });
        }
    });
}

/// Two jobs that wait for each other, in one queue: the second has to leave it.
#[test]
fn a_queue_does_not_hold_a_job_back_while_another_worker_is_idle() {
    finishes(|| {
        for idle in IDLE_POLICIES {
            let pool = Pool::builder().threads(2).idle(idle).build().unwrap();
            for _ in 0..500 {
                let flags = Arc::new([Flag::default(), Flag::default()]);
                let batch = [0, 1].map(|mine| {
                    let flags = Arc::clone(&flags);
                    move || {
                        flags[mine].raise();
                        flags[1 - mine].wait();
                    }
                });
                for handle in pool.install(|| filch::spawn_batch(batch)) {
                    handle.join().unwrap();
                }
            }
        }
    });
}

/// Far more workers than processors: they are woken in turn, and each job of a burst gets one.
#[test]
fn every_job_of_a_burst_gets_a_worker_of_its_own() {
    finishes(|| {
        for idle in IDLE_POLICIES {
            let pool = Pool::builder().threads(64).idle(idle).build().unwrap();
            for _ in 0..5 {
                let together = Arc::new(Barrier::new(64));
                let job = || {
                    let together = Arc::clone(&together);
                    pool.spawn(move || _ = together.wait())
                };
                let jobs: Vec<_> = (0..64).map(|_| job()).collect();
                jobs.into_iter().for_each(|job| job.join().unwrap());
            }
        }
    });
}

fn check_that_no_job_is_lost(pool: Pool, jobs: usize) {
    let count = Arc::new(AtomicUsize::new(0));
    thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| {
                let spawn = || {
                    let count = Arc::clone(&count);
                    pool.spawn(move || count.fetch_add(1, Ordering::Relaxed))
                };
                let mut last = None;
                for _ in 0..jobs {
                    last = Some(spawn());
                }
                last.expect("there are jobs").join().unwrap();
            });
        }
    });
    drop(pool);
    assert_eq!(count.load(Ordering::Relaxed), 4 * jobs);
}

fn check_policies(idle: IdlePolicy, threads: &[usize], jobs: usize) {
    let steals = [
        "half",
        "one",
        "fraction:3",
        "const:4",
        "sqrt",
        "min(half,2)",
    ];
    let dispatches = ["pi", "jiq", "random", "round-robin", "jsq", "jsq:2"];
    for &threads in threads {
        for (dispatch, steal) in dispatches.into_iter().zip(steals) {
            if dispatch == "jsq:2" && threads < 2 {
                continue;
            }
            let pool = Pool::builder()
                .threads(threads)
                .idle(idle)
                .dispatch(dispatch.parse().unwrap())
                .steal(steal.parse().unwrap())
                .build()
                .unwrap();
            check_that_no_job_is_lost(pool, jobs);
        }
    }
}

#[test]
fn no_job_is_lost_by_workers_that_park() {
    finishes(|| check_policies(IDLE_POLICIES[0], &[1, 2, 3, 8], 1_000));
}

#[test]
fn no_job_is_lost_by_workers_that_search() {
    finishes(|| check_policies(IDLE_POLICIES[1], &[1, 2, 3, 8], 1_000));
}

#[test]
fn no_job_is_lost_by_workers_that_spin() {
    finishes(|| check_policies(IDLE_POLICIES[2], &[1, 2, 4], 300));
}
