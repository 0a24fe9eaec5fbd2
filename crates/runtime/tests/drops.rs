//! What a closure owns and what it returns is dropped exactly once, whichever worker runs it and
//! whatever panics.
#![cfg(not(any(loom, shuttle)))]

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Flag, finishes, panic_with, pool};
use filch::Pool;

/// Counts the values that were made and dropped.
#[derive(Clone, Default)]
struct Tally(Arc<(AtomicUsize, AtomicUsize)>);

struct Counted(Tally);

impl Tally {
    fn make(&self) -> Counted {
        self.0.0.fetch_add(1, Ordering::Relaxed);
        Counted(self.clone())
    }

    /// Every value was dropped once: a second drop would show as one too many.
    fn check(&self) {
        let (made, dropped) = (&self.0.0, &self.0.1);
        assert_eq!(
            made.load(Ordering::Relaxed),
            dropped.load(Ordering::Relaxed)
        );
        assert!(
            made.load(Ordering::Relaxed) > 0,
            "the test has made nothing"
        );
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.0.1.fetch_add(1, Ordering::Relaxed);
    }
}

/// How a child ends.
#[derive(Clone, Copy)]
enum End {
    Returns,
    Panics,
}

use End::{Panics, Returns};

impl End {
    fn of(self, value: Counted) -> Counted {
        match self {
            Returns => value,
            Panics => panic_with(1),
        }
    }
}

const ENDS: [(End, End); 4] = [
    (Returns, Returns),
    (Returns, Panics),
    (Panics, Returns),
    (Panics, Panics),
];

/// Every value that the closures own and return, with the second closure run here or by a thief.
fn check_join(pool: &Pool, stolen: bool) {
    for (first, second) in ENDS {
        let tally = Tally::default();
        let started = Flag::default();
        let (owned, also_owned) = (tally.make(), tally.make());
        let result = catch_unwind(AssertUnwindSafe(|| {
            pool.join(
                || {
                    if stolen {
                        started.wait();
                    }
                    first.of(owned)
                },
                || {
                    started.raise();
                    second.of(also_owned)
                },
            )
        }));
        drop(result);
        tally.check();
    }
}

#[test]
fn a_join_whose_children_stay_here() {
    finishes(|| check_join(&pool(1), false));
}

#[test]
fn a_join_whose_second_child_is_stolen() {
    finishes(|| {
        let pool = pool(2);
        for _ in 0..50 {
            check_join(&pool, true);
        }
    });
}

#[test]
fn the_children_of_a_scope() {
    finishes(|| {
        for threads in [1, 2, 8] {
            let pool = pool(threads);
            for end in [Returns, Panics] {
                let tally = Tally::default();
                let result = catch_unwind(AssertUnwindSafe(|| {
                    pool.scope(|s| {
                        for number in 0..200 {
                            let owned = tally.make();
                            let end = if number % 3 == 0 { end } else { Returns };
                            s.spawn(move |s| {
                                let inner = owned.0.make();
                                s.spawn(move |_| drop(end.of(inner)));
                                drop(end.of(owned));
                            });
                        }
                        end.of(tally.make())
                    })
                }));
                drop(result);
                tally.check();
            }
        }
    });
}

#[test]
fn jobs_whose_handles_are_kept_or_dropped() {
    finishes(|| {
        for threads in [1, 2, 8] {
            let tally = Tally::default();
            let pool = pool(threads);
            for number in 0..400 {
                let owned = tally.make();
                let end = if number % 3 == 0 { Panics } else { Returns };
                let handle = pool.spawn(move || end.of(owned));
                if number % 2 == 0 {
                    drop(handle.join());
                }
            }
            let batch = (0..100).map(|_| {
                let owned = tally.make();
                move || owned
            });
            drop(pool.spawn_batch(batch));
            drop(pool);
            tally.check();
        }
    });
}

#[test]
fn installed_work() {
    finishes(|| {
        let (pool, other) = (pool(2), pool(1));
        for end in [Returns, Panics] {
            let tally = Tally::default();
            let (owned, also_owned) = (tally.make(), tally.make());
            drop(catch_unwind(AssertUnwindSafe(|| {
                pool.install(move || end.of(owned))
            })));
            let across = || pool.install(|| other.install(move || end.of(also_owned)));
            drop(catch_unwind(AssertUnwindSafe(across)));
            tally.check();
        }
    });
}
