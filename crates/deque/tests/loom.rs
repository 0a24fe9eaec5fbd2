//! Every interleaving of small programs, under loom:
//! `RUSTFLAGS="--cfg loom" cargo test -p filch-deque --test loom --release`.
#![cfg(loom)]

use std::ptr::NonNull;

use filch_deque::{Owner, Place, Steal, Take, Thief, deque};
use loom::sync::atomic::{
    AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};
use loom::thread;

/// Items are addresses of counters; taking one counts it.
struct Items(Vec<AtomicUsize>);

impl Items {
    fn new(count: usize) -> &'static Self {
        // Leaked: the model's threads outlive no borrow.
        Box::leak(Box::new(Self(
            (0..count).map(|_| AtomicUsize::new(0)).collect(),
        )))
    }

    fn pointer(&self, at: usize) -> NonNull<AtomicUsize> {
        NonNull::from(&self.0[at])
    }

    fn all_taken_once(&self) {
        assert!(self.0.iter().all(|item| item.load(Relaxed) == 1));
    }
}

fn count(item: NonNull<AtomicUsize>) {
    // SAFETY: the items are leaked.
    unsafe { item.as_ref() }.fetch_add(1, Relaxed);
}

/// One attempt to steal what is public, and one by force if there is something else.
fn steal_one(thief: &Thief<AtomicUsize>) {
    let stolen = match thief.steal() {
        Steal::Hidden => thief.force(),
        other => other,
    };
    if let Steal::Got(item) = stolen {
        count(item);
    }
}

fn take(owner: &Owner<AtomicUsize>, items: &Items, at: usize, place: Place) {
    match owner.take(place) {
        Take::Mine => count(items.pointer(at)),
        Take::Stolen => {}
        Take::Covered => unreachable!("the newest item is not covered"),
    }
}

fn rest(owner: &Owner<AtomicUsize>) {
    while let Some(item) = owner.pop() {
        count(item);
    }
}

fn model(check: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(check);
}

#[test]
fn last_item() {
    model(|| {
        let items = Items::new(1);
        let (owner, thief) = deque();
        let index = owner.push(items.pointer(0));
        let stealing = thread::spawn(move || steal_one(&thief));
        take(&owner, items, 0, index);
        stealing.join().unwrap();
        items.all_taken_once();
    });
}

/// The owner publishes an item and wants it back.
#[test]
fn public_item() {
    model(|| {
        let items = Items::new(2);
        let (owner, thief) = deque();
        let first = owner.push(items.pointer(0));
        let stealing = thread::spawn(move || {
            if let Steal::Got(item) = thief.steal() {
                count(item);
            }
        });
        owner.publish();
        take(&owner, items, 0, first);
        owner.push(items.pointer(1));
        stealing.join().unwrap();
        rest(&owner);
        items.all_taken_once();
    });
}

/// One thief uses force while the owner publishes for another.
#[test]
fn force_against_publishing() {
    model(|| {
        let items = Items::new(2);
        let (owner, thief) = deque();
        owner.push(items.pointer(0));
        let second = owner.push(items.pointer(1));
        let forcing = thread::spawn({
            let thief = thief.clone();
            move || {
                if let Steal::Got(item) = thief.force() {
                    count(item);
                }
            }
        });
        let stealing = thread::spawn(move || {
            if let Steal::Got(item) = thief.steal() {
                count(item);
            }
        });
        owner.publish();
        take(&owner, items, 1, second);
        forcing.join().unwrap();
        stealing.join().unwrap();
        rest(&owner);
        items.all_taken_once();
    });
}

/// A hidden item is taken back and another pushed in its place, while two thieves use force one
/// after the other.
#[test]
fn force_after_a_failed_force() {
    model(|| {
        let items = Items::new(2);
        let (owner, thief) = deque();
        let thieves = [thief.clone(), thief].map(|thief| {
            thread::spawn(move || {
                if let Steal::Got(item) = thief.force() {
                    count(item);
                }
            })
        });
        let first = owner.push(items.pointer(0));
        take(&owner, items, 0, first);
        let second = owner.push(items.pointer(1));
        take(&owner, items, 1, second);
        for thief in thieves {
            thief.join().unwrap();
        }
        rest(&owner);
        items.all_taken_once();
    });
}

#[test]
fn owner_against_one_thief() {
    model(|| {
        let items = Items::new(2);
        let (owner, thief) = deque();
        let stealing = thread::spawn(move || {
            steal_one(&thief);
            steal_one(&thief);
        });
        let first = owner.push(items.pointer(0));
        let second = owner.push(items.pointer(1));
        take(&owner, items, 1, second);
        match owner.take(first) {
            Take::Mine => count(items.pointer(0)),
            Take::Stolen => {}
            Take::Covered => rest(&owner),
        }
        stealing.join().unwrap();
        rest(&owner);
        items.all_taken_once();
    });
}

#[test]
fn owner_against_two_thieves() {
    model(|| {
        let items = Items::new(2);
        let (owner, thief) = deque();
        owner.push(items.pointer(0));
        let second = owner.push(items.pointer(1));
        let thieves = [thief.clone(), thief].map(|thief| thread::spawn(move || steal_one(&thief)));
        take(&owner, items, 1, second);
        for thief in thieves {
            thief.join().unwrap();
        }
        rest(&owner);
        items.all_taken_once();
    });
}

/// Two slots at first, three items: the ring grows while a thief reads.
#[test]
fn growth() {
    model(|| {
        let items = Items::new(3);
        let (owner, thief) = deque();
        owner.push(items.pointer(0));
        let stealing = thread::spawn(move || {
            steal_one(&thief);
            steal_one(&thief);
        });
        owner.push(items.pointer(1));
        owner.push(items.pointer(2));
        stealing.join().unwrap();
        rest(&owner);
        items.all_taken_once();
    });
}

/// What the condition sees holds while the item is in the deque: here, the owner raises a flag
/// before it pushes the second item and after it has taken the first, so an item stolen with the
/// flag down is the first.
#[test]
fn the_condition_holds_for_the_item() {
    model(|| {
        let items = Items::new(2);
        let flag: &'static AtomicUsize = Box::leak(Box::new(AtomicUsize::new(0)));
        let (owner, thief) = deque();
        let first = owner.push(items.pointer(0));
        let stealing = thread::spawn(move || {
            if let Steal::Got(item) = thief.force_if(|_| flag.load(Acquire) == 0) {
                assert_eq!(item, items.pointer(0));
                count(item);
            }
        });
        take(&owner, items, 0, first);
        flag.store(1, Release);
        owner.push(items.pointer(1));
        stealing.join().unwrap();
        rest(&owner);
        items.all_taken_once();
    });
}
