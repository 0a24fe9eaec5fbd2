//! The real deque, with its real fences, under more threads than cores.
#![cfg(not(any(loom, shuttle)))]

use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::thread;

use filch_deque::{Owner, StealOutcome, Take, deque};
use proptest::prelude::*;

/// Runs `work` as the owner against `thieves` thieves and checks that every item was taken once.
fn check(items: usize, thieves: usize, work: impl FnOnce(&Owner<AtomicU32>, &[AtomicU32])) {
    let taken: Vec<AtomicU32> = (0..items).map(|_| AtomicU32::new(0)).collect();
    let done = AtomicBool::new(false);
    let (owner, thief) = deque();
    thread::scope(|scope| {
        for _ in 0..thieves {
            let thief = thief.clone();
            scope.spawn(|| {
                let thief = thief;
                while !done.load(Relaxed) {
                    let stolen = match thief.steal() {
                        StealOutcome::Hidden => thief.force_steal(),
                        other => other,
                    };
                    if let StealOutcome::Got(item) = stolen {
                        mark(item);
                    }
                }
            });
        }
        work(&owner, &taken);
        while let Some(item) = owner.pop() {
            mark(item);
        }
        done.store(true, Relaxed);
    });
    assert!(taken.iter().all(|item| item.load(Relaxed) == 1));
}

fn mark(item: NonNull<AtomicU32>) {
    // SAFETY: the items outlive the threads of `check`.
    unsafe { item.as_ref() }.fetch_add(1, Relaxed);
}

/// A binary tree of forks: push one child, descend into the other, take the first back.
fn fork(owner: &Owner<AtomicU32>, items: &[AtomicU32]) {
    let Some((here, rest)) = items.split_first() else {
        return;
    };
    let (left, right) = rest.split_at(rest.len() / 2);
    let _ = owner.push(NonNull::from(here));
    if items.len().is_multiple_of(4) {
        owner.publish();
    }
    fork(owner, left);
    fork(owner, right);
    match owner.take(NonNull::from(here)) {
        Take::Mine => mark(NonNull::from(here)),
        Take::Stolen => {}
        Take::Covered => unreachable!("the children took theirs back"),
    }
}

#[test]
fn forks() {
    for thieves in [1, 3] {
        check(300_000, thieves, fork);
    }
}

#[test]
fn pushes_first() {
    check(300_000, 3, |owner, items| {
        for item in items {
            let _ = owner.push(NonNull::from(item));
        }
    });
}

#[test]
fn alternating() {
    check(300_000, 2, |owner, items| {
        for pair in items.chunks(2) {
            for item in pair {
                let _ = owner.push(NonNull::from(item));
            }
            if let Some(item) = owner.pop() {
                mark(item);
            }
        }
    });
}

proptest! {
    /// Without concurrency, the owner sees a stack and the thief a queue.
    #[test]
    fn behaves_as_a_vector(operations in prop::collection::vec(0..4u8, 0..2000)) {
        let items: Vec<AtomicU32> = (0..operations.len()).map(|_| AtomicU32::new(0)).collect();
        let (owner, thief) = deque();
        let mut model = std::collections::VecDeque::new();
        for (at, operation) in operations.into_iter().enumerate() {
            match operation {
                3 => {
                    let expected = model.pop_front().map_or(StealOutcome::Empty, StealOutcome::Got);
                    prop_assert_eq!(thief.force_steal(), expected);
                }
                0 => {
                    let _ = owner.push(NonNull::from(&items[at]));
                    model.push_back(NonNull::from(&items[at]));
                }
                1 => prop_assert_eq!(owner.pop(), model.pop_back()),
                _ => {
                    let expected = model.pop_front().map_or(StealOutcome::Empty, StealOutcome::Got);
                    owner.publish();
                    prop_assert_eq!(thief.steal(), expected);
                }
            }
            prop_assert_eq!(thief.len(), model.len());
        }
    }
}
