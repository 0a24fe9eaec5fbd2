//! Known defects of rayon that filch must not have.
#![cfg(not(any(loom, shuttle)))]

mod common;

use std::sync::Mutex;
use std::time::Duration;

use common::{assert_success, compute_for, finishes, in_child, role};
use filch::{Pool, join, scope};

/// rayon#592: many tasks take a lock and join while they hold it. A worker that waits for its
/// stolen half must not start another such task, which would wait for the lock below it.
#[test]
fn a_lock_held_across_a_join_does_not_deadlock() {
    finishes(|| {
        for threads in [2, 3, 4, 8] {
            let pool = Pool::new(threads).unwrap();
            let total = Mutex::new(0);
            let half = || {
                compute_for(Duration::from_micros(20));
                1
            };
            pool.scope(|s| {
                for _ in 0..500 {
                    s.spawn(|_| {
                        let mut total = total.lock().unwrap();
                        let (a, b) = join(half, half);
                        *total += a + b;
                    });
                }
            });
            assert_eq!(total.into_inner().unwrap(), 1_000);
        }
    });
}

/// rayon#592, with a scope inside the lock and a tree of tasks outside.
#[test]
fn a_lock_held_across_a_scope_does_not_deadlock() {
    fn tree(depth: usize, lock: &Mutex<usize>) {
        if depth > 0 {
            join(|| tree(depth - 1, lock), || tree(depth - 1, lock));
            return;
        }
        let mut count = lock.lock().unwrap();
        scope(|s| {
            for _ in 0..3 {
                s.spawn(|_| compute_for(Duration::from_micros(5)));
            }
        });
        *count += 1;
    }
    finishes(|| {
        for threads in [2, 3, 4, 8] {
            let pool = Pool::new(threads).unwrap();
            let count = Mutex::new(0);
            pool.install(|| tree(9, &count));
            assert_eq!(count.into_inner().unwrap(), 512);
        }
    });
}

/// rayon#592, with several locks, so that tasks wait for some workers and not for others.
#[test]
fn several_locks_held_across_joins_do_not_deadlock() {
    finishes(|| {
        for threads in [3, 4, 8] {
            let pool = Pool::new(threads).unwrap();
            let locks = [(); 3].map(|()| Mutex::new(0));
            pool.scope(|s| {
                for number in 0..600 {
                    let lock = &locks[number % 3];
                    s.spawn(move |_| {
                        let mut count = lock.lock().unwrap();
                        let short = || compute_for(Duration::from_micros(3));
                        let both = || {
                            join(short, short);
                        };
                        join(both, || scope(|s| s.spawn(|_| both())));
                        *count += 1;
                    });
                }
            });
            assert_eq!(locks.map(|lock| lock.into_inner().unwrap()), [200; 3]);
        }
    });
}

/// rayon#854: tasks that wait for joins and scopes, and steal other such tasks meanwhile, pile up
/// until the stack overflows. The test runs in a process of its own, which an overflow would end.
#[test]
fn waiting_tasks_do_not_pile_up_on_a_small_stack() {
    fn task() {
        // The serial program needs a small part of the stack.
        let frame = std::hint::black_box([0_u8; 2048]);
        let short = || compute_for(Duration::from_micros(2));
        scope(|s| {
            s.spawn(|_| {
                join(short, || join(short, short));
            });
            s.spawn(|_| scope(|s| s.spawn(|_| short())));
        });
        std::hint::black_box(&frame);
    }
    let name = "waiting_tasks_do_not_pile_up_on_a_small_stack";
    if role().is_none() {
        return assert_success(name, &in_child(name, "child", &[]));
    }
    for threads in [1, 2, 8] {
        let pool = Pool::builder()
            .threads(threads)
            .stack_size(64 << 10)
            .build()
            .unwrap();
        pool.scope(|s| {
            for _ in 0..10_000 {
                s.spawn(|_| task());
            }
        });
        let jobs = pool.spawn_batch((0..2_000).map(|_| task));
        jobs.into_iter().for_each(|job| job.join().unwrap());
    }
}
