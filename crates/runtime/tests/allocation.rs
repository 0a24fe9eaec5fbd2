//! A join allocates nothing, a spawn at most once. The counter counts per thread, and so it counts
//! what a waiter allocates to start a spare thread.
#![cfg(not(any(loom, shuttle)))]

mod common;

use allocation_counter::measure;
use common::{Flag, finishes, pool};
use filch::{Pool, join, scope};
use std::sync::Arc;

/// Queues grow now and then, by doubling.
const GROWTH: u64 = 30;

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = join(|| fib(n - 1), || fib(n - 2));
    a + b
}

/// Runs `work` on a worker of `pool`. What it counts is nothing, unless the pool has started a
/// spare thread meanwhile: a waiter that hands over may do so, once for each spare thread.
#[track_caller]
fn allocates_nothing(pool: &Pool, work: impl FnOnce() -> u64 + Send) {
    let spares = || pool.metrics().spares.len();
    let before = spares();
    let count = pool.install(work);
    assert!(
        count == 0 || spares() > before,
        "{count} allocations with {} workers, and {before} spare threads before and after",
        pool.threads()
    );
}

/// With spare threads and without: there the count is always zero.
fn pools_with_and_without_spares(threads: usize) -> [Pool; 2] {
    let without = Pool::builder().threads(threads).spare_threads(0);
    [pool(threads), without.build().expect("it can be built")]
}

#[test]
fn a_join_allocates_nothing() {
    finishes(|| {
        for pool in [1, 2, 3]
            .into_iter()
            .flat_map(pools_with_and_without_spares)
        {
            // The first joins of a process may let a thread register it for free fences.
            pool.install(|| fib(20));
            allocates_nothing(&pool, || measure(|| assert_eq!(fib(20), 6_765)).count_total);
        }
    });
}

#[test]
fn a_stolen_join_allocates_nothing() {
    finishes(|| {
        for pool in pools_with_and_without_spares(2) {
            for _ in 0..20 {
                let stolen = Flag::default();
                allocates_nothing(&pool, || {
                    let mut inner = None;
                    let outer = measure(|| {
                        let second = || {
                            stolen.raise();
                            measure(|| assert_eq!(fib(10), 55))
                        };
                        inner = Some(join(|| stolen.wait(), second).1);
                    });
                    outer.count_total + inner.unwrap().count_total
                });
            }
        }
    });
}

#[test]
fn a_scope_allocates_nothing_and_each_of_its_spawns_at_most_once() {
    finishes(|| {
        let pool = pool(1);
        let run = |children: u64| {
            measure(|| {
                scope(|s| {
                    for number in 0..children {
                        s.spawn(move |_| assert!(number < 10_000));
                    }
                });
            })
        };
        pool.install(|| {
            // The deque grows the first time.
            run(10_000);
            assert!(run(10_000).count_total <= 10_000);
            assert_eq!(run(0).count_total, 0);
        });
    });
}

#[test]
fn a_job_from_outside_is_allocated_once() {
    finishes(|| {
        let pool = pool(1);
        let go = Arc::new(Flag::default());
        let wait = Arc::clone(&go);
        drop(pool.spawn(move || wait.wait()));
        let count = measure(|| {
            for number in 0..10_000 {
                drop(pool.spawn(move || number));
            }
        });
        go.raise();
        assert!(
            count.count_total <= 10_000 + GROWTH,
            "{} for 10,000",
            count.count_total
        );
    });
}

#[test]
fn a_job_from_inside_is_allocated_once() {
    finishes(|| {
        let pool = pool(1);
        let count = pool.install(|| {
            measure(|| {
                for number in 0..10_000 {
                    drop(filch::spawn(move || number));
                }
            })
        });
        assert!(
            count.count_total <= 10_000 + GROWTH,
            "{} for 10,000",
            count.count_total
        );
    });
}

#[test]
fn a_batch_is_allocated_once_for_each_job_and_a_few_times_in_all() {
    finishes(|| {
        let pool = pool(2);
        let count = measure(|| drop(pool.spawn_batch((0..10_000).map(|number| move || number))));
        assert!(
            count.count_total <= 10_000 + 2 * GROWTH,
            "{} for 10,000",
            count.count_total
        );
    });
}

#[test]
fn waiting_for_installed_work_allocates_nothing() {
    finishes(|| {
        let pool = pool(2);
        pool.install(|| ());
        let count = measure(|| (0..100).for_each(|_| pool.install(|| ())));
        assert!(count.count_total <= GROWTH, "{} for 100", count.count_total);
    });
}

/// A control: the counter does see an allocation on a worker.
#[test]
fn the_counter_counts_on_a_worker() {
    finishes(|| {
        let one = pool(1).install(|| measure(|| drop(std::hint::black_box(Box::new(1)))));
        assert_eq!(one.count_total, 1);
    });
}
