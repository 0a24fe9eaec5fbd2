//! Classes of jobs: the order in which they begin, and that none starves.
#![cfg(not(any(loom, shuttle)))]

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use common::{Flag, finishes, hold, on_pools, panic_with, pool, wait_until};
use filch::{Class, Pool};

const CLASSES: [Class; 3] = [Class::High, Class::Normal, Class::Low];

#[test]
fn higher_classes_begin_first_and_each_in_order() {
    finishes(|| {
        let pool = pool(1);
        let open = hold(&pool);
        let begun = Arc::new(Mutex::new(Vec::new()));
        let spawn = |class, number| {
            let begun = Arc::clone(&begun);
            pool.spawn_in(class, move || begun.lock().unwrap().push((class, number)))
        };
        let jobs: Vec<_> = (0..4)
            .flat_map(|number| CLASSES.map(|class| (class, number)))
            .map(|(class, number)| spawn(class, number))
            .collect();
        open.raise();
        jobs.into_iter().for_each(|job| job.join().unwrap());
        let expected = CLASSES
            .iter()
            .flat_map(|class| (0..4).map(|number| (*class, number)));
        let begun = begun.lock().unwrap();
        // Low jobs come early when 16 others have begun, and here are only 8.
        assert!(begun.iter().copied().eq(expected), "{begun:?}");
    });
}

/// A job of the highest class that comes last begins first, on whichever worker is free first.
#[test]
fn a_late_job_of_the_highest_class_overtakes() {
    finishes(|| {
        for threads in [1, 2, 3] {
            let pool = pool(threads);
            let gates: Vec<_> = (0..threads).map(|_| Arc::new(Flag::default())).collect();
            let busy = Arc::new(Flag::default());
            for gate in &gates {
                let (gate, busy) = (Arc::clone(gate), Arc::clone(&busy));
                drop(pool.spawn(move || {
                    busy.raise();
                    gate.wait();
                }));
            }
            busy.wait_for(threads);
            let begun = Arc::new(AtomicUsize::new(0));
            let spawn = |class| {
                let begun = Arc::clone(&begun);
                pool.spawn_in(class, move || begun.fetch_add(1, Ordering::SeqCst))
            };
            let low: Vec<_> = (0..10).map(|_| spawn(Class::Low)).collect();
            let high = spawn(Class::High);
            // One worker is free.
            gates[0].raise();
            assert_eq!(high.join().unwrap(), 0, "{threads} workers");
            gates.iter().for_each(|gate| gate.raise());
            low.into_iter()
                .for_each(|job| assert!(job.join().unwrap() > 0));
        }
    });
}

/// Jobs of the highest class that each spawn the next, for as long as the others have not begun.
#[test]
fn a_flood_starves_no_class() {
    fn flood(pool: Arc<Pool>, stop: Arc<Flag>) {
        if !stop.is_raised() {
            let (again, until) = (Arc::clone(&pool), Arc::clone(&stop));
            drop(pool.spawn_in(Class::High, move || flood(again, until)));
        }
    }
    finishes(|| {
        for threads in [1, 2, 3] {
            let (pool, stop) = (Arc::new(pool(threads)), Arc::new(Flag::default()));
            for _ in 0..4 * threads {
                flood(Arc::clone(&pool), Arc::clone(&stop));
            }
            let others = [Class::Normal, Class::Low].map(|class| pool.spawn_in(class, || ()));
            others.into_iter().for_each(|job| job.join().unwrap());
            stop.raise();
            // The last job may own the pool.
            wait_until(|| Arc::strong_count(&pool) == 1);
        }
    });
}

/// Each job runs once, from outside and from jobs, whichever worker waits for which handle.
#[test]
fn each_job_runs_once() {
    on_pools(|pool| {
        let runs = Arc::new(AtomicUsize::new(0));
        let shared = Arc::new(Pool::new(pool.threads()).unwrap());
        let jobs: Vec<_> = (0..300)
            .map(|number| {
                let (runs, inner) = (Arc::clone(&runs), Arc::clone(&shared));
                shared.spawn_in(CLASSES[number % 3], move || {
                    let count = Arc::clone(&runs);
                    let class = CLASSES[number / 3 % 3];
                    let child = inner.spawn_in(class, move || count.fetch_add(1, Ordering::SeqCst));
                    runs.fetch_add(1, Ordering::SeqCst);
                    // A worker that waits runs the job itself, and a turn finds it done.
                    if number % 2 == 0 {
                        child.join().unwrap();
                    }
                })
            })
            .collect();
        jobs.into_iter().for_each(|job| job.join().unwrap());
        wait_until(|| runs.load(Ordering::SeqCst) == 600);
        wait_until(|| Arc::strong_count(&shared) == 1);
    });
}

#[test]
fn a_pool_that_ends_runs_what_it_has_accepted() {
    on_pools(|pool| {
        let runs = Arc::new(AtomicUsize::new(0));
        let own = Pool::new(pool.threads()).unwrap();
        for number in 0..300 {
            let runs = Arc::clone(&runs);
            drop(own.spawn_in(CLASSES[number % 3], move || {
                runs.fetch_add(1, Ordering::SeqCst)
            }));
        }
        drop(own);
        assert_eq!(runs.load(Ordering::SeqCst), 300);
    });
}

/// A worker of another pool waits for the job, which waits for that worker's pool.
#[test]
fn calls_between_pools() {
    finishes(|| {
        let (one, other) = (Arc::new(pool(1)), Arc::new(pool(1)));
        let (a, b) = (Arc::clone(&one), Arc::clone(&other));
        let value = one.install(move || {
            let job = b.spawn_in(Class::Low, move || a.install(|| 7));
            job.join().unwrap()
        });
        assert_eq!(value, 7);
    });
}

#[test]
fn panics_reach_the_handle() {
    let payload = pool(1).spawn_in(Class::High, || panic_with(9)).join();
    assert_eq!(*payload.unwrap_err().downcast::<usize>().unwrap(), 9);
}
