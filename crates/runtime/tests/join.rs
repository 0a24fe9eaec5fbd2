//! `join` returns what both closures return, however deep, wherever it is called.
#![cfg(not(any(loom, shuttle)))]

mod common;

use common::{finishes, on_pools, pool};
use filch::join;

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = join(|| fib(n - 1), || fib(n - 2));
    a + b
}

#[test]
fn both_results_come_back_in_their_places() {
    on_pools(|pool| {
        assert_eq!(pool.join(|| 1, || "two"), (1, "two"));
        assert_eq!(pool.join(|| (), || [7_u8; 3000]), ((), [7; 3000]));
    });
}

#[test]
fn joins_nest() {
    on_pools(|pool| assert_eq!(pool.install(|| fib(22)), 17_711));
}

#[test]
fn children_borrow_from_the_caller() {
    fn double(numbers: &mut [u64]) {
        if let [number] = numbers {
            *number *= 2;
        } else if !numbers.is_empty() {
            let (left, right) = numbers.split_at_mut(numbers.len() / 2);
            join(|| double(left), || double(right));
        }
    }
    on_pools(|pool| {
        let mut numbers: Vec<u64> = (0..10_000).collect();
        pool.install(|| double(&mut numbers));
        assert!(
            numbers
                .iter()
                .zip(0..)
                .all(|(&number, index)| number == 2 * index)
        );
    });
}

#[test]
fn quicksort_sorts() {
    fn sort(numbers: &mut [u32]) {
        let Some((&mut pivot, rest)) = numbers.split_first_mut() else {
            return;
        };
        let mut smaller = 0;
        for index in 0..rest.len() {
            if rest[index] < pivot {
                rest.swap(index, smaller);
                smaller += 1;
            }
        }
        numbers.swap(0, smaller);
        let (left, right) = numbers.split_at_mut(smaller);
        join(|| sort(left), || sort(&mut right[1..]));
    }
    on_pools(|pool| {
        let mut numbers: Vec<u32> = (0_u32..20_000)
            .map(|number| number.wrapping_mul(2_654_435_761))
            .collect();
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        pool.install(|| sort(&mut numbers));
        assert_eq!(numbers, sorted);
    });
}

/// A chain of joins, to the left, to the right, or both in turn.
fn descend(depth: usize, left: fn(usize) -> bool) -> usize {
    if depth == 0 {
        return 0;
    }
    let deeper = || descend(depth - 1, left);
    let (a, b) = if left(depth) {
        join(deeper, || 1)
    } else {
        join(|| 1, deeper)
    };
    a + b
}

#[test]
fn joins_may_be_thousands_deep() {
    finishes(|| {
        for threads in [1, 2, 3, 8] {
            let pool = filch::Pool::builder()
                .threads(threads)
                .stack_size(16 << 20)
                .build();
            let pool = pool.expect("large stacks are allowed");
            let ways: [fn(usize) -> bool; 3] = [|_| true, |_| false, |depth| depth % 2 == 0];
            for left in ways {
                assert_eq!(pool.install(|| descend(5_000, left)), 5_000);
            }
        }
    });
}

#[test]
fn a_join_outside_any_pool_runs_on_the_global_one() {
    finishes(|| {
        assert_eq!(filch::current_worker(), None);
        let (a, b) = join(filch::current_worker, filch::current_worker);
        assert!(a.is_some() && b.is_some());
        assert_eq!(fib(15), 610);
    });
}

#[test]
fn many_outside_threads_join_on_one_pool() {
    on_pools(|pool| {
        std::thread::scope(|threads| {
            for _ in 0..6 {
                threads.spawn(|| {
                    for _ in 0..20 {
                        assert_eq!(pool.install(|| fib(10)), 55);
                    }
                });
            }
        });
    });
}

#[test]
fn the_first_closure_runs_on_the_worker_that_joins() {
    on_pools(|pool| {
        for _ in 0..100 {
            let (before, (inside, _)) = pool.install(|| {
                (
                    filch::current_worker(),
                    join(filch::current_worker, filch::current_worker),
                )
            });
            assert_eq!(before, inside);
        }
    });
}

#[test]
fn two_workers_run_two_children_at_the_same_time() {
    finishes(|| {
        let pool = pool(2);
        let (left, right) = (common::Flag::default(), common::Flag::default());
        let meet = |mine: &common::Flag, other: &common::Flag| {
            mine.raise();
            other.wait();
        };
        pool.join(|| meet(&left, &right), || meet(&right, &left));
    });
}
