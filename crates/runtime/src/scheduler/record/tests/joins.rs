use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use filch_profile::{Duration, Step};

use super::{Measured, check, measured, own_sections, record, work};
use crate::{CancelToken, join};

#[test]
fn a_join_and_the_strands_around_it() {
    check((38, 35, 1), || {
        work(10);
        join(|| work(3), || work(5));
        work(20);
    });
}

#[test]
fn the_dag_is_that_of_the_program() {
    let ((), profile) = record(2, || {
        work(10);
        join(|| work(3), || work(5));
        work(20);
    });
    let root = own_sections(&profile)[0].root;
    let strand = |nanos| Step::Work(Duration::from_nanos(nanos));
    let [before, Step::Join { first, second, .. }, after] = profile.dag[root].steps[..] else {
        panic!("{:?}", profile.dag[root]);
    };
    assert_eq!((before, after), (strand(10), strand(20)));
    assert_eq!(profile.dag[first].steps, [strand(3)]);
    assert_eq!(profile.dag[second].steps, [strand(5)]);
}

/// Forks down to leaves of unequal size, and works before and after each join.
fn unequal(depth: u64, seed: u64) {
    if depth == 0 {
        work(5000 + 100 * (seed % 7));
        return;
    }
    work(seed % 3);
    join(
        || unequal(depth - 1, 5 * seed + 1),
        || unequal(depth - 1, 3 * seed + 2),
    );
    work(11);
}

/// The same, by its definition.
fn unequal_measures(depth: u64, seed: u64) -> Measured {
    if depth == 0 {
        let leaf = 5000 + 100 * (seed % 7);
        return (leaf, leaf, 0);
    }
    let first = unequal_measures(depth - 1, 5 * seed + 1);
    let second = unequal_measures(depth - 1, 3 * seed + 2);
    let own = seed % 3 + 11;
    (
        own + first.0 + second.0,
        own + first.1.max(second.1),
        1 + first.2 + second.2,
    )
}

#[test]
fn a_tree_of_unequal_leaves() {
    check(unequal_measures(9, 1), || unequal(9, 1));
}

/// The first closure is small and the second is all the rest.
fn chain(links: u64) {
    if links > 0 {
        join(|| work(1000), || chain(links - 1));
        work(1);
    }
}

#[test]
fn a_chain_is_no_longer_than_its_links() {
    check((500 * 1001, 1000 + 500, 500), || chain(500));
}

/// The second closure begins only on another thread, so it is stolen.
#[test]
fn a_stolen_closure_is_counted_where_it_was_forked() {
    let ((), profile) = record(2, || {
        let begun = AtomicBool::new(false);
        let wait = || {
            while !begun.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            work(3);
        };
        let begin = || {
            begun.store(true, Ordering::Release);
            work(5);
        };
        join(wait, begin);
        work(7);
    });
    let section = own_sections(&profile)[0];
    assert_eq!(measured(section), (15, 12, 1));
    assert_eq!(section.steals, 1);
    let site = profile
        .sites
        .iter()
        .find(|site| site.steals == 1 && site.forks == 1);
    assert!(site.is_some(), "{:?}", profile.sites);
    let stolen = profile
        .stretches
        .iter()
        .filter(|stretch| stretch.forked_in.is_some());
    assert!(stolen.count() >= 1, "{:?}", profile.stretches);
}

#[test]
fn what_a_panic_leaves_is_counted() {
    let panics = |first: bool, second: bool| {
        let part = move |nanos, panics: bool| {
            work(nanos);
            if panics {
                std::panic::resume_unwind(Box::new("on purpose"));
            }
        };
        move || {
            let joins = || {
                work(1);
                join(
                    || join(|| work(2), move || part(10, first)),
                    move || part(20, second),
                );
                work(4000);
            };
            let result = catch_unwind(AssertUnwindSafe(joins));
            assert_eq!(result.is_err(), first || second);
            work(100);
        }
    };
    check((4133, 4121, 2), panics(false, false));
    check((133, 121, 2), panics(true, false));
    check((133, 121, 2), panics(false, true));
    check((133, 121, 2), panics(true, true));
}

#[test]
fn a_cancelled_join_forks_nothing() {
    check((7, 7, 0), || {
        let token = CancelToken::new();
        token.cancel();
        assert!(token.join(|| work(1), || work(2)).is_err());
        work(7);
    });
    check((8, 8, 1), || {
        let token = CancelToken::new();
        let cancel = || {
            work(1);
            token.cancel();
        };
        // The second may be stolen before the first cancels, and then takes as long.
        let other = || work(u64::from(token.is_cancelled()));
        let _either = token.join(cancel, other);
        work(7);
    });
}

/// A recursive function has one site, with its place in this file.
#[test]
fn a_recursion_is_one_site() {
    let ((), profile) = record(1, || unequal(6, 1));
    let own = |site: &&filch_profile::Site| site.closure.contains("joins::unequal");
    let sites: Vec<_> = profile.sites.iter().filter(own).collect();
    assert_eq!(sites.len(), 1, "{sites:?}");
    assert_eq!(sites[0].forks, 63);
    let frame = &sites[0].frames[0];
    assert!(!sites[0].frames.is_empty());
    assert!(!frame.function.contains("filch_job_begins"), "{frame:?}");
}
