//! Strict work.

use super::*;

#[test]
fn join_tree_on_two_workers() {
    check_both(2, |pool| assert_eq!(pool.install(|| fib(5)), 5));
}

#[test]
fn join_tree_on_three_workers() {
    check_both(3, |pool| assert_eq!(pool.install(|| fib(5)), 5));
}

#[test]
fn scope_with_nested_spawns() {
    check_both(2, |pool| {
        let sum = AtomicUsize::new(0);
        pool.scope(|s| {
            for i in 0..2 {
                let sum = &sum;
                s.spawn(move |s| {
                    sum.fetch_add(i, SeqCst);
                    s.spawn(move |_| {
                        let (a, b) = join(|| 10, || 20);
                        sum.fetch_add(a + b, SeqCst);
                    });
                });
            }
        });
        assert_eq!(sum.into_inner(), 61);
    });
}

/// A scope inside a child of a join, and a join inside a child of a scope.
#[test]
fn scopes_and_joins_inside_each_other() {
    check_both(3, |pool| {
        let sum = AtomicUsize::new(0);
        let spawn_two = || {
            scope(|s| {
                s.spawn(|_| _ = join(|| sum.fetch_add(1, SeqCst), || sum.fetch_add(2, SeqCst)));
                s.spawn(|_| _ = sum.fetch_add(4, SeqCst));
            });
        };
        pool.join(spawn_two, spawn_two);
        assert_eq!(sum.into_inner(), 14);
    });
}

/// Children that come from a thread outside the pool while a worker waits for the scope.
#[test]
fn scope_fed_from_outside() {
    check_both(2, |pool| {
        let sum = AtomicUsize::new(0);
        let sum = &sum;
        pool.scope(|s| {
            // The worker that runs the closure blocks here, so the spawning thread is outside the
            // pool.
            thread::scope(|threads| {
                threads.spawn(|| s.spawn(move |_| _ = sum.fetch_add(1, SeqCst)));
            });
            s.spawn(move |_| _ = sum.fetch_add(2, SeqCst));
        });
        assert_eq!(sum.load(SeqCst), 3);
    });
}
