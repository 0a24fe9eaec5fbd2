//! Every interleaving of small programs, under loom: `RUSTFLAGS="--cfg loom" cargo test -p
//! filch-deque --test loom --release`.
#![cfg(loom)]

use std::ptr::NonNull;

use filch_deque::{Fork, Owner, StealOutcome, Take, Thief, deque};
use loom::cell::UnsafeCell;
use loom::sync::atomic::{
    AtomicUsize,
    Ordering::{Acquire, Release},
};
use loom::thread;

/// An item with contents: the owner writes it before the push, and the thread that takes the item
/// reads and counts it.
struct Item {
    contents: UnsafeCell<bool>,
    taken: AtomicUsize,
}

// SAFETY: whether threads access the contents in turns is what the models check, by loom.
unsafe impl Sync for Item {}

struct Items(Vec<Item>);

impl Items {
    fn new(count: usize) -> &'static Self {
        let item = |_| Item {
            contents: UnsafeCell::new(false),
            taken: AtomicUsize::new(0),
        };
        // Leaked, so that the threads of the model need no borrow.
        Box::leak(Box::new(Self((0..count).map(item).collect())))
    }

    fn pointer(&self, at: usize) -> NonNull<Item> {
        NonNull::from(&self.0[at])
    }

    fn write(&self, at: usize) {
        let contents = &self.0[at].contents;
        // SAFETY: as for `Sync`.
        contents.with_mut(|contents| unsafe { *contents = true });
    }

    fn counts(&self) -> Vec<usize> {
        self.0.iter().map(|item| item.taken.load(Acquire)).collect()
    }

    fn all_taken_once(&self) {
        let counts = self.counts();
        assert!(counts.iter().all(|&count| count == 1), "{counts:?}");
    }
}

fn count(item: NonNull<Item>) {
    // SAFETY: the items are leaked.
    let item = unsafe { item.as_ref() };
    // SAFETY: as for `Sync`.
    assert!(item.contents.with(|contents| unsafe { *contents }));
    item.taken.fetch_add(1, Release);
}

/// One attempt to steal a public item, and a forced one if there is a hidden item.
fn steal_one(thief: &Thief<Item>) {
    let stolen = match thief.steal() {
        StealOutcome::Hidden => thief.force_steal(),
        other => other,
    };
    if let StealOutcome::Got(item) = stolen {
        count(item);
    }
}

fn force_one(thief: &Thief<Item>) {
    if let StealOutcome::Got(item) = thief.force_steal() {
        count(item);
    }
}

/// Pushes an item to be popped.
fn push(owner: &Owner<Item>, items: &Items, at: usize) {
    items.write(at);
    let _ = owner.push(items.pointer(at));
}

/// Forks an item, whatever attention says.
fn fork(owner: &Owner<Item>, items: &Items, at: usize) -> Fork {
    items.write(at);
    owner.fork(items.pointer(at)).0
}

fn take(owner: &Owner<Item>, items: &Items, at: usize, fork: Fork) {
    match owner.take(fork) {
        Take::Mine => count(items.pointer(at)),
        Take::Stolen => {}
        Take::Covered => unreachable!("the newest item is not covered"),
    }
}

fn take_the_rest(owner: &Owner<Item>) {
    while let Some(item) = owner.pop() {
        count(item);
    }
}

fn model(check: impl Fn() + Sync + Send + 'static) {
    bounded_model(3, check);
}

fn bounded_model(preemptions: usize, check: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 10_000;
    builder.check(check);
}

#[test]
fn last_item() {
    model(|| {
        let items = Items::new(1);
        let (owner, thief) = deque();
        let first = fork(&owner, items, 0);
        let stealing = thread::spawn(move || steal_one(&thief));
        take(&owner, items, 0, first);
        stealing.join().unwrap();
        items.all_taken_once();
    });
}

/// The owner pops the only item while a thief forces its steal, and pushes another at its index.
#[test]
fn last_item_that_was_pushed() {
    model(|| {
        let items = Items::new(2);
        let (owner, thief) = deque();
        push(&owner, items, 0);
        let forcing = thread::spawn(move || force_one(&thief));
        take_the_rest(&owner);
        push(&owner, items, 1);
        forcing.join().unwrap();
        take_the_rest(&owner);
        items.all_taken_once();
    });
}

/// The owner publishes an item and takes it back.
#[test]
fn public_item() {
    model(|| {
        let items = Items::new(2);
        let (owner, thief) = deque();
        let first = fork(&owner, items, 0);
        let stealing = thread::spawn(move || {
            if let StealOutcome::Got(item) = thief.steal() {
                count(item);
            }
        });
        owner.publish();
        take(&owner, items, 0, first);
        push(&owner, items, 1);
        stealing.join().unwrap();
        take_the_rest(&owner);
        items.all_taken_once();
    });
}

/// One thief forces a steal while the owner publishes for another.
#[test]
fn a_forced_steal_against_publishing() {
    model(|| {
        let items = Items::new(2);
        let (owner, thief) = deque();
        let first = fork(&owner, items, 0);
        let second = fork(&owner, items, 1);
        let forcing = thread::spawn({
            let thief = thief.clone();
            move || force_one(&thief)
        });
        let stealing = thread::spawn(move || {
            if let StealOutcome::Got(item) = thief.steal() {
                count(item);
            }
        });
        owner.publish();
        take(&owner, items, 1, second);
        forcing.join().unwrap();
        stealing.join().unwrap();
        take(&owner, items, 0, first);
        items.all_taken_once();
    });
}

/// A hidden item is taken back and another is forked at its index, while two thieves force steals
/// one after the other.
#[test]
fn a_forced_steal_after_a_failed_one() {
    model(|| {
        let items = Items::new(2);
        let (owner, thief) = deque();
        let thieves = [thief.clone(), thief].map(|thief| thread::spawn(move || force_one(&thief)));
        for at in 0..2 {
            let forked = fork(&owner, items, at);
            take(&owner, items, at, forked);
        }
        for thief in thieves {
            thief.join().unwrap();
        }
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
        let first = fork(&owner, items, 0);
        let second = fork(&owner, items, 1);
        take(&owner, items, 1, second);
        take(&owner, items, 0, first);
        stealing.join().unwrap();
        items.all_taken_once();
    });
}

#[test]
fn owner_against_two_thieves() {
    model(|| {
        let items = Items::new(2);
        let (owner, thief) = deque();
        let first = fork(&owner, items, 0);
        let second = fork(&owner, items, 1);
        let thieves = [thief.clone(), thief].map(|thief| thread::spawn(move || steal_one(&thief)));
        take(&owner, items, 1, second);
        for thief in thieves {
            thief.join().unwrap();
        }
        take(&owner, items, 0, first);
        items.all_taken_once();
    });
}

/// An item that is popped lies above one that is taken back: the take must find it, or find out
/// that both were stolen.
#[test]
fn a_fork_below_another_item() {
    model(|| {
        let items = Items::new(3);
        let (owner, thief) = deque();
        let first = fork(&owner, items, 0);
        let stealing = thread::spawn(move || {
            force_one(&thief);
            force_one(&thief);
        });
        push(&owner, items, 1);
        let mut found = owner.take(first);
        while found == Take::Covered {
            if let Some(item) = owner.pop() {
                count(item);
            }
            found = owner.take(first);
        }
        if found == Take::Mine {
            count(items.pointer(0));
        }
        // Nothing lies below any more, and nothing is guarded that need not be.
        let last = fork(&owner, items, 2);
        take(&owner, items, 2, last);
        stealing.join().unwrap();
        items.all_taken_once();
    });
}

/// The owner lowers the guard, after an item was popped from above a fork, while thieves force
/// steals of that fork and of the one below.
#[test]
fn a_guard_that_is_lowered() {
    model(|| {
        let items = Items::new(3);
        let (owner, thief) = deque();
        let first = fork(&owner, items, 0);
        let second = fork(&owner, items, 1);
        push(&owner, items, 2);
        let stealing = thread::spawn(move || {
            force_one(&thief);
            force_one(&thief);
        });
        if let Some(item) = owner.pop() {
            count(item);
        }
        take(&owner, items, 1, second);
        take(&owner, items, 0, first);
        stealing.join().unwrap();
        items.all_taken_once();
    });
}

/// Two forks stay guarded when the item above them is gone, and a thief takes both: no fence of the
/// kernel tells their owner, so both sides pass one.
#[test]
fn guarded_forks() {
    model(|| {
        let items = Items::new(3);
        let (owner, thief) = deque();
        let first = fork(&owner, items, 0);
        let second = fork(&owner, items, 1);
        push(&owner, items, 2);
        owner.pop().into_iter().for_each(count);
        let stealing = thread::spawn(move || {
            force_one(&thief);
            force_one(&thief);
        });
        take(&owner, items, 1, second);
        take(&owner, items, 0, first);
        stealing.join().unwrap();
        items.all_taken_once();
    });
}

/// Four slots at first and five items: the ring grows while a thief reads.
#[test]
fn growth() {
    model(|| {
        let items = Items::new(5);
        let (owner, thief) = deque();
        for at in 0..3 {
            push(&owner, items, at);
        }
        let stealing = thread::spawn(move || {
            steal_one(&thief);
            steal_one(&thief);
        });
        push(&owner, items, 3);
        push(&owner, items, 4);
        stealing.join().unwrap();
        take_the_rest(&owner);
        items.all_taken_once();
    });
}

/// The ring grows while a thief forces the steal of an item in it.
#[test]
fn growth_against_a_forced_steal() {
    model(|| {
        let items = Items::new(4);
        let (owner, thief) = deque();
        let forks = [0, 1, 2].map(|at| fork(&owner, items, at));
        let stealing = thread::spawn(move || force_one(&thief));
        let last = fork(&owner, items, 3);
        take(&owner, items, 3, last);
        for at in [2, 1, 0] {
            take(&owner, items, at, forks[at]);
        }
        stealing.join().unwrap();
        items.all_taken_once();
    });
}

/// The items move to another ring of the same size and back, while a thief is about to read the
/// slot of an item that is gone by then.
#[test]
fn a_ring_that_is_used_again() {
    let steal = |owner: &Owner<Item>, thief: &Thief<Item>| {
        owner.publish();
        if let StealOutcome::Got(item) = thief.steal() {
            count(item);
        }
    };
    bounded_model(2, move || {
        let items = Items::new(6);
        let (owner, thief) = deque();
        for at in 0..3 {
            push(&owner, items, at);
        }
        steal(&owner, &thief);
        steal(&owner, &thief);
        let late = thread::spawn({
            let thief = thief.clone();
            move || force_one(&thief)
        });
        for at in 3..6 {
            push(&owner, items, at);
            steal(&owner, &thief);
        }
        late.join().unwrap();
        take_the_rest(&owner);
        items.all_taken_once();
    });
}

/// A thief steals while the owner moves the items, and comes back for the next with the former
/// ring in mind. That ring must not be used again while it may win an item there.
#[test]
fn a_ring_that_a_thief_still_reads() {
    bounded_model(2, || {
        let items = Items::new(5);
        let (owner, thief) = deque();
        push(&owner, items, 0);
        force_one(&thief);
        for at in 1..3 {
            push(&owner, items, at);
        }
        let stealing = thread::spawn(move || {
            force_one(&thief);
            force_one(&thief);
        });
        push(&owner, items, 3);
        push(&owner, items, 4);
        stealing.join().unwrap();
        take_the_rest(&owner);
        items.all_taken_once();
    });
}

/// A ring that was left because it was too small is not used again.
#[test]
fn a_ring_that_was_too_small() {
    bounded_model(1, || {
        let items = Items::new(12);
        let (owner, thief) = deque();
        for at in 0..12 {
            push(&owner, items, at);
            if at >= 3 {
                force_one(&thief);
            }
        }
        take_the_rest(&owner);
        items.all_taken_once();
    });
}

/// A forced steal was costly, so the next item is fenced. It lies at the index of one that was not.
#[test]
fn a_fenced_item_at_the_index_of_another() {
    model(|| {
        let items = Items::new(3);
        let (owner, thief) = deque();
        push(&owner, items, 0);
        let second = fork(&owner, items, 1);
        steal_one(&thief);
        let forcing = thread::spawn(move || force_one(&thief));
        take(&owner, items, 1, second);
        let third = fork(&owner, items, 2);
        take(&owner, items, 2, third);
        forcing.join().unwrap();
        take_the_rest(&owner);
        items.all_taken_once();
    });
}

/// The fencing ends with the item after the last fenced one, while a thief forces a steal.
#[test]
fn the_end_of_fencing() {
    model(|| {
        let items = Items::new(4);
        let (owner, thief) = deque();
        push(&owner, items, 0);
        steal_one(&thief);
        let forks = [1, 2].map(|at| fork(&owner, items, at));
        let forcing = thread::spawn(move || force_one(&thief));
        let last = fork(&owner, items, 3);
        take(&owner, items, 3, last);
        take(&owner, items, 2, forks[1]);
        take(&owner, items, 1, forks[0]);
        forcing.join().unwrap();
        items.all_taken_once();
    });
}

/// A hidden item is taken back, and another is published at its index while a thief forces a steal.
#[test]
fn a_public_item_at_the_index_of_another() {
    model(|| {
        let items = Items::new(2);
        let (owner, thief) = deque();
        let first = fork(&owner, items, 0);
        let forcing = thread::spawn(move || force_one(&thief));
        take(&owner, items, 0, first);
        push(&owner, items, 1);
        owner.publish();
        forcing.join().unwrap();
        take_the_rest(&owner);
        items.all_taken_once();
    });
}

/// A take finds another item above its own. A thread that raises attention and then sees no item at
/// all is noticed by the owner.
#[test]
fn an_item_under_another() {
    model(|| {
        let items = Items::new(2);
        let (owner, thief) = deque();
        let first = fork(&owner, items, 0);
        push(&owner, items, 1);
        let sleeping = thread::spawn(move || {
            thief.attention().raise_for_sleep();
            filch_deque::asymmetric::heavy();
            thief.len()
        });
        assert_eq!(owner.take(first), Take::Covered);
        let noticed = owner.is_attention_raised();
        let seen = sleeping.join().unwrap();
        assert!(noticed || seen == 2, "{seen}");
    });
}

/// A thread that raises attention and then sees no item is noticed by the push, although the ring
/// is full just then.
#[test]
fn attention_and_a_full_ring() {
    model(|| {
        let items = Items::new(4);
        let (owner, thief) = deque();
        for at in 0..3 {
            push(&owner, items, at);
        }
        let sleeping = thread::spawn(move || {
            thief.attention().raise_for_sleep();
            filch_deque::asymmetric::heavy();
            thief.len()
        });
        items.write(3);
        let (_, noticed) = owner.fork(items.pointer(3));
        let seen = sleeping.join().unwrap();
        assert!(noticed || seen == 4, "{seen}");
        // It stays raised until it is lowered.
        assert!(owner.attention().is_raised());
        owner.attention().lower();
        assert!(!owner.attention().is_raised());
    });
}

/// The condition holds while the item is in the deque. Here the owner sets a flag before it pushes
/// the second item and after it has taken the first, so an item stolen with the flag clear is the
/// first.
#[test]
fn the_condition_holds_for_the_item() {
    model(|| {
        let items = Items::new(2);
        let flag: &'static AtomicUsize = Box::leak(Box::new(AtomicUsize::new(0)));
        let (owner, thief) = deque();
        let first = fork(&owner, items, 0);
        let stealing = thread::spawn(move || {
            if let StealOutcome::Got(item) = thief.force_steal_if(|_| flag.load(Acquire) == 0) {
                assert_eq!(item, items.pointer(0));
                count(item);
            }
        });
        take(&owner, items, 0, first);
        flag.store(1, Release);
        push(&owner, items, 1);
        stealing.join().unwrap();
        take_the_rest(&owner);
        items.all_taken_once();
    });
}
