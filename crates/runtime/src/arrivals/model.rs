//! Threads that add items while another takes them, under loom: `RUSTFLAGS="--cfg loom" cargo test
//! -p filch --lib --release arrivals`.

use core::ptr::{self, NonNull};
use std::sync::Arc;

use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicUsize, Ordering, fence};
use loom::thread;

use super::{Arrivals, Linked};

/// An item whose contents and link are watched by loom.
struct Item {
    next: UnsafeCell<*mut Item>,
    value: UnsafeCell<u32>,
}

impl Linked for Item {
    unsafe fn set_next(this: NonNull<Self>, next: *mut Self) {
        // SAFETY: promised by the caller.
        let this = unsafe { this.as_ref() };
        // SAFETY: promised by the caller, and checked by loom.
        this.next.with_mut(|link| unsafe { *link = next });
    }

    unsafe fn next(this: NonNull<Self>) -> *mut Self {
        // SAFETY: promised by the caller.
        let this = unsafe { this.as_ref() };
        // SAFETY: promised by the caller, and checked by loom.
        this.next.with(|link| unsafe { *link })
    }
}

fn item(value: u32) -> NonNull<Item> {
    let item = Item {
        next: UnsafeCell::new(ptr::null_mut()),
        value: UnsafeCell::new(0),
    };
    // SAFETY: the item is ours.
    item.value.with_mut(|cell| unsafe { *cell = value });
    NonNull::from(Box::leak(Box::new(item)))
}

/// Frees the item. The next one may be at the same address.
fn value_of(item: NonNull<Item>) -> u32 {
    // SAFETY: the item was taken out of a list, so it is ours, and it came from a box.
    let item = unsafe { Box::from_raw(item.as_ptr()) };
    // SAFETY: as above.
    item.value.with(|value| unsafe { *value })
}

struct List(Arrivals<Item>);

// SAFETY: items may be sent to another thread.
unsafe impl Send for List {}
// SAFETY: as above.
unsafe impl Sync for List {}

impl List {
    fn add(&self, value: u32) {
        let item = item(value);
        // SAFETY: the item lives until it is taken, and its link is ours until it is added.
        unsafe { self.0.push(item, item, 1) };
    }

    fn add_both(&self, older: u32, newer: u32) {
        let (older, newer) = (item(older), item(newer));
        // SAFETY: both are ours.
        unsafe { Item::set_next(newer, older.as_ptr()) };
        // SAFETY: both live until they are taken, and their links are ours until they are added.
        unsafe { self.0.push(newer, older, 2) };
    }

    fn take(&self) -> Vec<u32> {
        self.0.take().map(value_of).collect()
    }
}

fn model(check: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(check);
}

fn list() -> Arc<List> {
    Arc::new(List(Arrivals::new()))
}

/// Whether those of `some` are in `all` in the same order.
fn is_in_order(some: &[u32], all: &[u32]) -> bool {
    let mut all = all.iter();
    some.iter().all(|one| all.any(|other| other == one))
}

/// Every item is taken once, whole, and those of one thread in their order.
#[test]
fn items_of_two_threads_are_taken_once_and_in_order() {
    model(|| {
        let list = list();
        let adding = thread::spawn({
            let list = Arc::clone(&list);
            move || {
                list.add(1);
                list.add(2);
            }
        });
        list.add_both(3, 4);
        let mut taken = list.take();
        adding.join().unwrap();
        taken.extend(list.take());
        assert!(is_in_order(&[1, 2], &taken), "{taken:?}");
        assert!(is_in_order(&[3, 4], &taken), "{taken:?}");
        assert_eq!(taken.len(), 4);
        assert_eq!(list.0.counted(), 4);
    });
}

/// Two threads add, and a third takes meanwhile: an address that is freed and added again is on top
/// of what it is linked to.
#[test]
fn an_item_at_the_address_of_a_former_one() {
    model(|| {
        let list = list();
        list.add(1);
        let adding = [2, 3].map(|value| {
            let list = Arc::clone(&list);
            thread::spawn(move || list.add(value))
        });
        let mut taken = list.take();
        for adding in adding {
            adding.join().unwrap();
        }
        taken.extend(list.take());
        assert_eq!(taken[0], 1);
        taken.sort_unstable();
        assert_eq!(taken, [1, 2, 3]);
    });
}

/// A worker that takes items says so first. A thread that then finds the list empty knows of it.
#[test]
fn an_empty_list_shows_what_was_done_before_it_was_emptied() {
    model(|| {
        let (list, ready) = (list(), Arc::new(AtomicUsize::new(0)));
        list.add(1);
        let looking = thread::spawn({
            let (list, ready) = (Arc::clone(&list), Arc::clone(&ready));
            move || {
                if list.0.is_empty() {
                    assert_eq!(ready.load(Ordering::Relaxed), 1);
                }
            }
        });
        ready.store(1, Ordering::Relaxed);
        assert_eq!(list.take(), [1]);
        looking.join().unwrap();
    });
}

/// A thread that adds an item and then looks for sleepers, and a worker that becomes a sleeper and
/// then looks for items: one of them sees the other.
#[test]
fn an_item_and_a_sleeper_do_not_miss_each_other() {
    model(|| {
        let (list, sleepers) = (list(), Arc::new(AtomicUsize::new(0)));
        let adding = thread::spawn({
            let (list, sleepers) = (Arc::clone(&list), Arc::clone(&sleepers));
            move || {
                list.add(1);
                fence(Ordering::SeqCst);
                sleepers.load(Ordering::Relaxed) > 0
            }
        });
        sleepers.store(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        let found = !list.0.is_empty() && list.0.counted() <= 1;
        let woken = adding.join().unwrap();
        assert!(found || woken);
        assert_eq!(list.take(), [1]);
    });
}
