//! What an owner does after a forced steal that made a system call.
#![cfg(not(any(loom, shuttle)))]

use std::ptr::NonNull;

use filch_deque::asymmetric::Light;
use filch_deque::{StealOutcome, Take, deque};

#[test]
fn an_owner_fences_its_items_after_a_costly_forced_steal() {
    // Without the call, all items are fenced.
    let ever = !Light::settled().is_free();
    let (owner, thief) = deque();
    let item = NonNull::from(&7u64);
    let push = || {
        let (forked, is_raised) = owner.fork(item);
        if is_raised {
            owner.attention().lower();
        }
        forked
    };
    assert!(!thief.is_fenced(), "there is no item");
    push();
    assert_eq!(thief.is_fenced(), ever);
    assert_eq!(thief.force_steal(), StealOutcome::Got(item));
    for _ in 0..1024 {
        let forked = push();
        assert!(thief.is_fenced());
        assert_eq!(owner.take(forked), Take::Mine);
    }
    let forked = push();
    assert_eq!(thief.is_fenced(), ever);
    assert_eq!(owner.take(forked), Take::Mine);
}

#[test]
fn forced_steals_of_fenced_items_do_not_prolong_the_fencing() {
    let ever = !Light::settled().is_free();
    let (owner, thief) = deque();
    let item = NonNull::from(&7u64);
    for at in 0..=1025 {
        if owner.push(item) {
            owner.attention().lower();
        }
        assert_eq!(thief.is_fenced(), ever || (1..=1024).contains(&at));
        assert_eq!(thief.force_steal(), StealOutcome::Got(item));
    }
}

/// The owner lowers the guard when the fencing ends, but not below what was stolen by force.
#[test]
fn a_fork_that_was_stolen_stays_so_when_the_fencing_ends() {
    let (owner, thief) = deque();
    let item = NonNull::from(&7u64);
    let fork = || {
        let (forked, is_raised) = owner.fork(item);
        if is_raised {
            owner.attention().lower();
        }
        forked
    };
    let (oldest, older) = (fork(), fork());
    assert_eq!(thief.force_steal(), StealOutcome::Got(item));
    for _ in 0..=1025 {
        let newest = fork();
        assert_eq!(owner.take(newest), Take::Mine);
    }
    assert_eq!(owner.take(older), Take::Mine);
    assert_eq!(owner.take(oldest), Take::Stolen);
}
