use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Measured, check, measured, own_sections, record, work};
use crate::{Pool, Scope, join, scope};

#[test]
fn a_scope_waits_for_its_children() {
    check((10 + 5 + 7 + 100 + 30, 10 + 105 + 30, 2), || {
        work(10);
        scope(|s| {
            work(5);
            s.spawn(|_| work(100));
            s.spawn(|_| work(0));
            work(7);
        });
        work(30);
    });
}

/// Each child spawns two more, between three strands.
fn spawn_tree<'scope>(s: &Scope<'scope>, depth: u64) {
    work(10 * depth + 1);
    if depth > 0 {
        s.spawn(move |s| spawn_tree(s, depth - 1));
        work(3);
        s.spawn(move |s| spawn_tree(s, depth - 1));
        work(500);
    }
}

fn spawn_tree_measures(depth: u64) -> Measured {
    let own = 10 * depth + 1;
    if depth == 0 {
        return (own, own, 0);
    }
    let (child_work, child_span, child_forks) = spawn_tree_measures(depth - 1);
    (
        own + 503 + 2 * child_work,
        (own + 503).max(own + 3 + child_span),
        2 + 2 * child_forks,
    )
}

#[test]
fn children_that_spawn() {
    check(spawn_tree_measures(8), || scope(|s| spawn_tree(s, 8)));
}

/// A closure of a join spawns into the scope around the join.
#[test]
fn a_join_leaves_a_child_behind() {
    // The dag of the test in `filch_profile::Dag`.
    check((1114, 1101, 2), || {
        scope(|s| {
            let spawns = || {
                work(1);
                s.spawn(|_| work(100));
                work(2);
            };
            join(spawns, || work(4));
            work(7);
        });
        work(1000);
    });
}

/// A child of the outer scope that is spawned within the inner one counts for the inner.
#[test]
fn scopes_in_scopes() {
    let spawned_within = || {
        scope(|outer| {
            work(1);
            scope(|inner| {
                inner.spawn(|_| work(10));
                outer.spawn(|_| work(50));
            });
            work(2);
        });
    };
    for workers in [1, 3] {
        let ((), profile) = record(workers, spawned_within);
        let (t1, span, forks) = measured(own_sections(&profile)[0]);
        assert_eq!((t1, forks), (63, 2));
        // Whether the outer child ends before or after the inner scope.
        assert!([53, 51].contains(&span), "{span}");
    }
}

#[test]
fn a_child_that_panics() {
    check((31, 21, 2), || {
        let panics = || {
            scope(|s| {
                s.spawn(|_| {
                    work(10);
                    std::panic::resume_unwind(Box::new("on purpose"));
                });
                s.spawn(|_| work(20));
            });
        };
        assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
        work(1);
    });
}

/// More children than the deque has room for at first.
#[test]
fn many_children_of_one_scope() {
    check((3 * 5000, 3, 5000), || {
        scope(|s| (0..5000).for_each(|_| s.spawn(|_| work(3))));
    });
}

#[test]
fn a_scope_from_outside_runs_its_body_on_the_caller() {
    let _alone = super::alone();
    let pool = Pool::new(2).unwrap();
    let inner = || {
        pool.in_place_scope(|s| {
            work(2);
            s.spawn(|_| work(40));
            work(3);
        });
    };
    // What is recorded besides is an empty section.
    let ((), profile) = pool.profile_here(inner);
    let sections = own_sections(&profile);
    assert_eq!(sections.len(), 1);
    assert_eq!(measured(sections[0]), (45, 42, 1));
}

#[test]
fn a_broadcast_has_a_share_for_each_worker() {
    for workers in [1, 3] {
        let (results, profile) = record(workers, || {
            let pool_of = |_: crate::BroadcastContext<'_>| work(9);
            crate::scheduler::worker::Worker::current().map(|worker| {
                crate::scheduler::broadcast::broadcast(worker.shared(), pool_of).len()
            })
        });
        assert_eq!(results, Some(workers));
        let (t1, span, forks) = measured(own_sections(&profile)[0]);
        assert_eq!((t1, span, forks), (9 * workers as u64, 9, workers as u64));
        let site = profile
            .sites
            .iter()
            .find(|site| site.kind == filch_profile::Kind::Broadcast);
        assert_eq!(site.unwrap().forks, workers as u64);
    }
}

/// A child that a thief runs, and that spawns one itself, counts as a steal of its section and of
/// its site.
#[test]
fn a_stolen_child_that_spawns_is_a_steal() {
    let ((), profile) = record(2, || {
        let begun = AtomicBool::new(false);
        scope(|s| {
            s.spawn(|s| {
                // Ordering: Release pairs with the load below.
                begun.store(true, Ordering::Release);
                s.spawn(|_| work(1));
                work(5);
            });
            // Ordering: Acquire pairs with the store above.
            while !begun.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
        });
    });
    let own = profile
        .sites
        .iter()
        .filter(|site| site.closure.contains("a_stolen_child_that_spawns"));
    let by_sites: u64 = own.map(|site| site.steals).sum();
    assert!(by_sites >= 1);
    assert_eq!(own_sections(&profile)[0].steals, by_sites);
}
