//! What an owner does after a forced steal that made a system call.
#![cfg(not(any(loom, shuttle)))]

use std::ptr::NonNull;
use std::sync::Once;

use filch_deque::asymmetric::{Light, register};
use filch_deque::{StealOutcome, Take, deque};

/// Whether the system has no call, so that all items are fenced.
fn are_all_items_fenced() -> bool {
    // The tests share a process, and one of them registers it.
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(register);
    !Light::of_now().is_free()
}

#[test]
fn an_owner_fences_its_items_after_a_costly_forced_steal() {
    let ever = are_all_items_fenced();
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
    let ever = are_all_items_fenced();
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

/// An owner that begins with real fences goes over when the process is registered.
#[test]
fn an_owner_goes_over_to_the_free_fence() {
    // In a process of its own: the other tests register theirs.
    const CHILD: &str = "FILCH_FENCED_CHILD";
    if std::env::var_os(CHILD).is_none() {
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "an_owner_goes_over_to_the_free_fence"])
            .env(CHILD, "1")
            .status()
            .unwrap();
        assert!(child.success());
        return;
    }
    let (owner, thief) = deque();
    let (late_owner, late_thief) = deque();
    let item = NonNull::from(&7_u64);
    let fork = || {
        let (forked, is_raised) = owner.fork(item);
        assert!(!is_raised);
        forked
    };
    fork();
    assert!(thief.is_fenced());
    register();
    let ever = !Light::of_now().is_free();
    // Every push looks, the first of a deque included.
    for is_fenced in [true, ever] {
        assert!(!late_owner.fork(item).1);
        assert_eq!(late_thief.is_fenced(), is_fenced);
    }
    // At this push the owner sees that the process is registered, and at the next it lowers its
    // guard.
    let second = fork();
    assert!(thief.is_fenced());
    let third = fork();
    assert_eq!(thief.is_fenced(), ever);
    assert_eq!(owner.take(third), Take::Mine);
    assert_eq!(thief.force_steal(), StealOutcome::Got(item));
    assert_eq!(owner.take(second), Take::Mine);
}

/// The guard is the index of the first item that is not guarded. The owner takes that back without
/// a swap, which would use the index up.
#[test]
fn a_take_just_above_the_guard_needs_no_swap() {
    let ever = are_all_items_fenced();
    let (owner, thief) = deque();
    let item = NonNull::from(&7u64);
    let (stolen, _) = owner.fork(item);
    owner.publish();
    assert_eq!(thief.steal(), StealOutcome::Got(item));
    assert_eq!(owner.take(stolen), Take::Stolen);
    let before = owner.position();
    let (forked, _) = owner.fork(item);
    assert_eq!(owner.take(forked), Take::Mine);
    assert_eq!(owner.position() == before, !ever);
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
