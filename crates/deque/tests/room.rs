//! The owner makes room with the push into the last slot, wherever its limit came from.
#![cfg(not(any(loom, shuttle)))]

use std::ptr::NonNull;
use std::sync::Once;

use filch_deque::asymmetric::register;
use filch_deque::{Owner, StealOutcome, Take, Thief, deque};

/// More items than a new ring has slots, and than the one that it grows to.
const ITEMS: u64 = 1000;

/// A deque whose owner has a limit: its fence is free, if the system has the call.
fn deque_with_limit() -> (Owner<u64>, Thief<u64>) {
    // The tests share a process, and one of them registers it.
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(register);
    deque()
}

/// Fills the deque and empties it again.
fn check(owner: &Owner<u64>) {
    let items: Vec<u64> = (0..ITEMS).collect();
    for item in &items {
        assert!(!owner.push(NonNull::from(item)), "attention is not raised");
    }
    for item in items.iter().rev() {
        assert_eq!(owner.pop(), Some(NonNull::from(item)));
    }
}

#[test]
fn of_a_new_deque() {
    let (owner, _thief) = deque_with_limit();
    check(&owner);
}

#[test]
fn after_a_request_was_answered() {
    let (owner, thief) = deque_with_limit();
    let item = NonNull::from(&7);
    thief.attention().raise();
    assert!(owner.push(item));
    owner.attention().lower();
    check(&owner);
    assert_eq!(owner.pop(), Some(item));
}

#[test]
fn after_items_were_fenced() {
    let (owner, thief) = deque_with_limit();
    let item = NonNull::from(&7);
    let fork = || {
        let (forked, is_raised) = owner.fork(item);
        if is_raised {
            owner.attention().lower();
        }
        forked
    };
    let stolen = fork();
    assert_eq!(thief.force_steal(), StealOutcome::Got(item));
    // The fenced items lie above another, so that indices do not move on and the ring stays.
    let older = fork();
    for _ in 0..=1024 {
        let newest = fork();
        assert_eq!(owner.take(newest), Take::Mine);
    }
    check(&owner);
    assert_eq!(owner.take(older), Take::Mine);
    assert_eq!(owner.take(stolen), Take::Stolen);
}

/// Where the deque begins again, the ring ends later than the limit says.
#[test]
fn after_the_deque_was_empty() {
    for taken in [1, 2, 254, 255, 256, 257, 300] {
        let (owner, thief) = deque_with_limit();
        let item = NonNull::from(&7);
        for _ in 0..taken {
            let (forked, _) = owner.fork(item);
            owner.publish();
            assert_eq!(thief.steal(), StealOutcome::Got(item));
            assert_eq!(owner.take(forked), Take::Stolen);
        }
        check(&owner);
    }
}
