//! A scope ends when everything that was spawned into it has ended, wherever it was spawned.
#![cfg(not(any(loom, shuttle)))]

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use common::{Flag, finishes, on_pools, pool};
use filch::internals::PoolRef;
use filch::{Scope, join, scope};

#[test]
fn a_scope_without_children_returns_what_its_closure_returns() {
    on_pools(|pool| assert_eq!(pool.scope(|_| 5), 5));
}

#[test]
fn children_write_what_they_borrow() {
    on_pools(|pool| {
        let mut squares = vec![0; 1_000];
        pool.scope(|s| {
            for (index, square) in squares.iter_mut().enumerate() {
                s.spawn(move |_| *square = index * index);
            }
        });
        assert!(
            squares
                .iter()
                .enumerate()
                .all(|(index, &square)| square == index * index)
        );
    });
}

#[test]
fn children_spawn_children() {
    fn tree<'scope>(s: &Scope<'scope>, depth: usize, count: &'scope AtomicUsize) {
        count.fetch_add(1, Ordering::Relaxed);
        if depth > 0 {
            s.spawn(move |s| tree(s, depth - 1, count));
            s.spawn(move |s| tree(s, depth - 1, count));
        }
    }
    on_pools(|pool| {
        let count = AtomicUsize::new(0);
        pool.scope(|s| tree(s, 12, &count));
        assert_eq!(count.into_inner(), (1 << 13) - 1);
    });
}

#[test]
fn a_hundred_thousand_children_run_once_each() {
    on_pools(|pool| {
        let count = AtomicUsize::new(0);
        pool.scope(|s| {
            for _ in 0..100_000 {
                s.spawn(|_| {
                    count.fetch_add(1, Ordering::Relaxed);
                });
            }
        });
        assert_eq!(count.into_inner(), 100_000);
    });
}

#[test]
fn scopes_and_joins_nest_in_each_other() {
    fn sum(depth: usize) -> usize {
        if depth == 0 {
            return 1;
        }
        let (mut a, mut b) = (0, 0);
        scope(|s| {
            s.spawn(|_| {
                let (x, y) = join(|| sum(depth - 1), || scope(|_| sum(depth - 1)));
                a = x + y;
            });
            s.spawn(|_| b = sum(depth - 1));
        });
        a + b
    }
    on_pools(|pool| assert_eq!(pool.install(|| sum(8)), 3_usize.pow(8)));
}

#[test]
fn an_inner_scope_ends_before_the_outer_goes_on() {
    on_pools(|pool| {
        let outer_children = AtomicUsize::new(0);
        pool.scope(|outer| {
            for _ in 0..50 {
                let outer_children = &outer_children;
                outer.spawn(move |outer| {
                    let count = AtomicUsize::new(0);
                    scope(|inner| {
                        for _ in 0..20 {
                            inner.spawn(|_| {
                                count.fetch_add(1, Ordering::Relaxed);
                            });
                            // Into the outer scope, from inside the inner one.
                            outer.spawn(move |_| {
                                outer_children.fetch_add(1, Ordering::Relaxed);
                            });
                        }
                    });
                    assert_eq!(count.into_inner(), 20);
                });
            }
        });
        assert_eq!(outer_children.into_inner(), 1_000);
    });
}

#[test]
fn a_foreign_thread_spawns_into_a_scope() {
    on_pools(|pool| {
        let in_pool = AtomicUsize::new(0);
        pool.scope(|s| {
            thread::scope(|threads| {
                for _ in 0..3 {
                    threads.spawn(|| {
                        for _ in 0..200 {
                            s.spawn(|_| {
                                let inside = filch::current_worker().is_some();
                                in_pool.fetch_add(usize::from(inside), Ordering::Relaxed);
                            });
                        }
                    });
                }
            });
        });
        assert_eq!(in_pool.into_inner(), 600);
    });
}

#[test]
fn a_foreign_thread_spawns_while_the_scope_is_being_waited_for() {
    on_pools(|pool| {
        for _ in 0..50 {
            let count = AtomicUsize::new(0);
            let count = &count;
            pool.scope(|s| {
                s.spawn(move |s| {
                    thread::scope(|threads| {
                        threads.spawn(|| {
                            for _ in 0..10 {
                                s.spawn(move |_| {
                                    count.fetch_add(1, Ordering::Relaxed);
                                });
                            }
                        });
                    });
                });
            });
            assert_eq!(count.load(Ordering::Relaxed), 10);
        }
    });
}

/// While a sibling waits for the child, the worker that waits for the scope can run the child.
#[test]
fn the_waiting_worker_runs_what_a_foreign_thread_spawns() {
    finishes(|| {
        let pool = pool(2);
        let (stolen, done) = (Flag::default(), Flag::default());
        let (stolen, done) = (&stolen, &done);
        pool.scope(|s| {
            s.spawn(move |s| {
                stolen.raise();
                thread::scope(|threads| {
                    threads.spawn(|| s.spawn(move |_| done.raise()));
                });
                done.wait();
            });
            stolen.wait();
        });
        assert!(done.is_raised());
    });
}

#[test]
fn a_worker_of_another_pool_spawns_into_a_scope() {
    on_pools(|first| {
        let second = pool(2);
        let count = AtomicUsize::new(0);
        let here = AtomicUsize::new(0);
        first.scope(|s| {
            second.install(|| {
                for _ in 0..100 {
                    s.spawn(|_| {
                        count.fetch_add(1, Ordering::Relaxed);
                        let is_here = PoolRef::of(first).number().is_some();
                        here.fetch_add(usize::from(is_here), Ordering::Relaxed);
                    });
                }
            });
        });
        assert_eq!(count.into_inner(), 100);
        assert_eq!(here.into_inner(), 100, "all on threads of the first pool");
    });
}

#[test]
fn a_scope_outside_any_pool_runs_on_the_global_one() {
    finishes(|| {
        let mut worker = None;
        scope(|s| s.spawn(|_| worker = filch::current_worker()));
        assert!(worker.is_some());
    });
}
