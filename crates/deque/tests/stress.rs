//! The real deque, with its real fences, under more threads than cores.
#![cfg(not(any(loom, shuttle)))]

use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::thread;

use filch_deque::{Fork, Owner, StealOutcome, Take, deque};
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
        // The thieves end too if the owner panics: a failed assertion is a failure, not a hang.
        let _done = SetOnDrop(&done);
        work(&owner, &taken);
        while let Some(item) = owner.pop() {
            mark(item);
        }
    });
    assert!(taken.iter().all(|item| item.load(Relaxed) == 1));
}

struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
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
    let (forked, _) = owner.fork(NonNull::from(here));
    if items.len().is_multiple_of(4) {
        owner.publish();
    }
    fork(owner, left);
    fork(owner, right);
    match owner.take(forked) {
        Take::Mine => mark(NonNull::from(here)),
        Take::Stolen => {}
        Take::Covered => unreachable!("the children took theirs back"),
    }
}

/// The same, but some children are left in the deque, above what their ancestors have forked.
fn fork_and_leave(owner: &Owner<AtomicU32>, items: &[AtomicU32]) {
    let Some((here, rest)) = items.split_first() else {
        return;
    };
    let (left, right) = rest.split_at(rest.len() / 2);
    if items.len().is_multiple_of(3) {
        let _ = owner.push(NonNull::from(here));
        fork_and_leave(owner, left);
        return fork_and_leave(owner, right);
    }
    let (forked, _) = owner.fork(NonNull::from(here));
    fork_and_leave(owner, left);
    fork_and_leave(owner, right);
    loop {
        match owner.take(forked) {
            Take::Mine => return mark(NonNull::from(here)),
            Take::Stolen => return,
            Take::Covered => {
                if let Some(above) = owner.pop() {
                    mark(above);
                }
            }
        }
    }
}

#[test]
fn forks() {
    for thieves in [1, 3] {
        check(300_000, thieves, fork);
    }
}

#[test]
fn forks_below_other_items() {
    for thieves in [0, 1, 3] {
        check(300_000, thieves, fork_and_leave);
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
    fn behaves_as_a_vector(operations in prop::collection::vec(0..6u8, 0..2000)) {
        let items: Vec<AtomicU32> = (0..operations.len()).map(|_| AtomicU32::new(0)).collect();
        let (owner, thief) = deque();
        let mut model = std::collections::VecDeque::new();
        // What was forked and not taken back since.
        let mut forks: Vec<(Fork, NonNull<AtomicU32>)> = Vec::new();
        for (at, operation) in operations.into_iter().enumerate() {
            let item = NonNull::from(&items[at]);
            match operation {
                0 => {
                    let _ = owner.push(item);
                    model.push_back(item);
                }
                1 => {
                    // A fork is taken back, not popped.
                    let is_forked = |back: &&_| forks.last().is_some_and(|fork| fork.1 == **back);
                    if model.back().filter(is_forked).is_none() {
                        prop_assert_eq!(owner.pop(), model.pop_back());
                    }
                }
                2 => {
                    let expected = model.pop_front().map_or(StealOutcome::Empty, StealOutcome::Got);
                    owner.publish();
                    prop_assert_eq!(thief.steal(), expected);
                }
                3 => {
                    let expected = model.pop_front().map_or(StealOutcome::Empty, StealOutcome::Got);
                    prop_assert_eq!(thief.force_steal(), expected);
                }
                4 => {
                    forks.push((owner.fork(item).0, item));
                    model.push_back(item);
                }
                _ => if let Some(&(forked, item)) = forks.last() {
                    let found = owner.take(forked);
                    if model.back() == Some(&item) {
                        prop_assert_eq!(found, Take::Mine);
                        model.pop_back();
                    } else if model.is_empty() {
                        prop_assert_eq!(found, Take::Stolen);
                    } else {
                        prop_assert_eq!(found, Take::Covered);
                    }
                    if found != Take::Covered {
                        forks.pop();
                    }
                }
            }
            prop_assert_eq!(thief.len(), model.len());
        }
    }
}
