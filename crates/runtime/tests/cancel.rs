//! What has begun ends, what has not begun is dropped, and nothing leaks.
#![cfg(not(any(loom, shuttle)))]

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{finishes, on_pools, panic_with, pool};
use filch::{CancelToken, Cancelled, Pool, find_any, find_first};
use proptest::prelude::*;

/// Counts the values that live.
#[derive(Clone, Default)]
struct Alive(Arc<AtomicUsize>);

struct Counted(Alive);

impl Alive {
    fn one_more(&self) -> Counted {
        self.0.fetch_add(1, Ordering::Relaxed);
        Counted(self.clone())
    }

    fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        assert!(
            self.0.0.fetch_sub(1, Ordering::Relaxed) > 0,
            "dropped twice"
        );
    }
}

#[test]
fn a_cancelled_join_runs_nothing_and_drops_both() {
    on_pools(|pool| {
        let (token, alive) = (CancelToken::new(), Alive::default());
        token.cancel();
        let (a, b) = (alive.one_more(), alive.one_more());
        let joined = pool.install(|| {
            token.join(
                move || unreachable!("{}", a.0.count()),
                move || unreachable!("{}", b.0.count()),
            )
        });
        assert_eq!(joined, Err::<((), ()), _>(Cancelled));
        assert_eq!(alive.count(), 0);
    });
}

/// With one worker the second closure begins after the first.
#[test]
fn the_second_closure_is_left_out() {
    let (token, alive) = (CancelToken::new(), Alive::default());
    let (result, captured) = (alive.one_more(), alive.one_more());
    let joined = pool(1).install(|| {
        token.join(
            || {
                token.cancel();
                result
            },
            move || unreachable!("{}", captured.0.count()),
        )
    });
    assert!(matches!(joined, Err::<(Counted, ()), _>(Cancelled)));
    assert_eq!(alive.count(), 0);
}

#[test]
fn without_cancelling_it_is_a_join() {
    on_pools(|pool| {
        let token = CancelToken::new();
        assert_eq!(pool.install(|| token.join(|| 1, || 2)), Ok((1, 2)));
        let ended = AtomicUsize::new(0);
        let joined = catch_unwind(AssertUnwindSafe(|| {
            pool.install(|| token.join(|| panic_with(1), || ended.fetch_add(1, Ordering::Relaxed)))
        }));
        assert!(joined.is_err() && ended.into_inner() == 1);
    });
}

/// Of a million items, those that begin after the token was cancelled are at most one for each
/// thread: it has asked the token just before.
#[test]
fn a_loop_ends_early() {
    on_pools(|pool| {
        let items: Vec<usize> = (0..1_000_000).collect();
        let (token, begun, late) = (CancelToken::new(), AtomicUsize::new(0), AtomicUsize::new(0));
        let ended = pool.install(|| {
            token.for_each(&items, |_| {
                late.fetch_add(usize::from(token.is_cancelled()), Ordering::Relaxed);
                if begun.fetch_add(1, Ordering::Relaxed) == 1000 {
                    token.cancel();
                }
            })
        });
        assert_eq!(ended, Err(Cancelled));
        // Workers and spare threads.
        let most = 4 * pool.threads();
        assert!(late.into_inner() <= most);
        assert!(begun.into_inner() < items.len());
    });
}

#[test]
fn a_loop_that_is_not_cancelled_runs_each_item_once() {
    on_pools(|pool| {
        for count in [0, 1, 2, 1000, 5000] {
            let items: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
            let token = CancelToken::new();
            let add = |item: &AtomicUsize| _ = item.fetch_add(1, Ordering::Relaxed);
            assert_eq!(pool.install(|| token.for_each(&items, add)), Ok(()));
            assert!(items.into_iter().all(|item| item.into_inner() == 1));
        }
    });
}

/// Children that own values, some of which run, some of which are queued when the token is
/// cancelled, and some of which are spawned after that, also by children.
fn check_scope(pool: &Pool, cancel_after: usize) {
    let (token, alive) = (CancelToken::new(), Alive::default());
    let (begun, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let result = pool.install(|| {
        token.scope(|s| {
            for number in 0..200 {
                let (value, inner) = (alive.one_more(), alive.one_more());
                let (token, begun, ended) = (&token, &begun, &ended);
                s.spawn(move |s| {
                    if begun.fetch_add(1, Ordering::Relaxed) == cancel_after {
                        token.cancel();
                    }
                    s.spawn(move |s| {
                        assert!(inner.0.count() > 0 && std::ptr::eq(s.token(), token));
                    });
                    drop(value);
                    ended.fetch_add(1, Ordering::Relaxed);
                });
                if number == cancel_after + 100 {
                    token.cancel();
                }
            }
            7
        })
    });
    assert_eq!(begun.load(Ordering::Relaxed), ended.load(Ordering::Relaxed));
    assert_eq!(alive.count(), 0, "cancelled after {cancel_after}");
    let expected = if token.is_cancelled() {
        Err(Cancelled)
    } else {
        Ok(7)
    };
    assert_eq!(result, expected);
    if !token.is_cancelled() {
        assert_eq!(begun.into_inner(), 200);
    }
}

#[test]
fn a_scope_starts_no_further_children_and_drops_them() {
    on_pools(|pool| {
        for cancel_after in [0, 1, 10, 99, 1000] {
            for _ in 0..10 {
                check_scope(pool, cancel_after);
            }
        }
    });
}

#[test]
fn no_child_begins_after_the_token_on_one_worker() {
    let (token, begun) = (CancelToken::new(), AtomicUsize::new(0));
    let result = pool(1).install(|| {
        token.scope(|s| {
            for _ in 0..100 {
                s.spawn(|_| _ = begun.fetch_add(1, Ordering::Relaxed));
            }
            token.cancel();
        })
    });
    assert_eq!((result, begun.into_inner()), (Err(Cancelled), 0));
}

/// A child of a token that is cancelled at the same moment is cancelled too.
#[test]
fn no_child_of_a_token_escapes() {
    finishes(|| {
        for _ in 0..500 {
            let parent = CancelToken::new();
            let child = std::thread::scope(|threads| {
                threads.spawn(|| parent.cancel());
                parent.child()
            });
            assert!(child.is_cancelled());
        }
    });
}

/// A token keeps those between itself and the one that is cancelled.
#[test]
fn a_token_between_may_be_dropped() {
    let root = CancelToken::new();
    let grandchild = root.child().child();
    root.cancel();
    assert!(grandchild.is_cancelled());
}

/// Descendants are cancelled without recursion: no stack holds so many frames.
#[test]
fn a_long_line_of_descendants() {
    let root = CancelToken::new();
    let mut line = vec![root.child()];
    for last in 0..1_000_000 {
        line.push(line[last].child());
    }
    root.cancel();
    assert!(line.iter().all(CancelToken::is_cancelled));
}

/// Children that are gone leave no memory behind.
#[test]
fn many_children_one_after_the_other() {
    let parent = CancelToken::new();
    let kept: Vec<CancelToken> = (0..10_000)
        .filter_map(|number| Some(parent.child()).filter(|_| number % 1000 == 0))
        .collect();
    parent.cancel();
    assert!(kept.iter().all(CancelToken::is_cancelled));
    assert!(parent.child().child().is_cancelled());
}

/// A search that has found something tests at most one more item for each thread.
#[test]
fn a_search_ends_early() {
    on_pools(|pool| {
        let items: Vec<usize> = (0..1_000_000).collect();
        let tested = AtomicUsize::new(0);
        let found = pool.install(|| {
            find_any(&items, |_| {
                tested.fetch_add(1, Ordering::Relaxed);
                true
            })
        });
        assert!(found.is_some());
        assert!(tested.into_inner() <= 4 * pool.threads());
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn searches_find_what_the_serial_ones_find(
        wanted in proptest::collection::vec(prop::bool::weighted(0.002), 0..5000),
        threads in 1usize..4,
    ) {
        let pool = pool(threads);
        let expected = wanted.iter().find(|item| **item);
        let first = pool.install(|| find_first(&wanted, |item| *item));
        prop_assert_eq!(first.map(std::ptr::from_ref), expected.map(std::ptr::from_ref));
        let any = pool.install(|| find_any(&wanted, |item| *item));
        prop_assert_eq!(any, expected);
    }
}
