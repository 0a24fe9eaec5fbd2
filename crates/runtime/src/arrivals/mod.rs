//! The jobs that have arrived at a queue since a worker last looked: a lock-free list.
#![allow(unsafe_code, reason = "jobs are linked through their own memory")]

#[cfg(all(test, loom))]
mod model;

use core::ptr::{self, NonNull};

use crate::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// What can be in a list of arrivals: it has room for the address of another.
pub(crate) trait Linked: Sized {
    /// Writes the link.
    ///
    /// # Safety
    ///
    /// `this` lives, and no other thread uses its link.
    unsafe fn set_next(this: NonNull<Self>, next: *mut Self);

    /// Reads the link.
    ///
    /// # Safety
    ///
    /// `this` lives, its link was written, and no other thread writes it.
    unsafe fn next(this: NonNull<Self>) -> *mut Self;
}

/// Items that any thread adds, and that are all taken at once.
///
/// This is Treiber's stack (IBM RJ 5118, 1986) without its pop. An item leaves the list only with
/// all others, by an exchange that compares nothing. So an address that is seen twice does no harm
/// (ABA): the compare-and-swap of a push asks only what is on top, which is what it links to.
///
/// A thread that adds an item waits for no other: one that was preempted halfway has added nothing
/// yet, or everything.
///
/// # Memory ordering
///
/// What a thread wrote before [`push`](Self::push) is visible to the thread that takes the items.
/// What a thread wrote before [`take`](Self::take) is visible to one that then finds the list
/// [empty](Self::is_empty).
pub(crate) struct Arrivals<T> {
    /// The item that arrived last, linked to the one before it; null if there is none.
    newest: AtomicPtr<T>,
    /// How many items were ever added, but for those that are not to be counted. On the line that a
    /// push has anyway.
    counted: AtomicUsize,
}

impl<T: Linked> Arrivals<T> {
    pub(crate) fn new() -> Self {
        Self {
            newest: AtomicPtr::new(ptr::null_mut()),
            counted: AtomicUsize::new(0),
        }
    }

    /// Whether there are no items.
    pub(crate) fn is_empty(&self) -> bool {
        // Ordering: SeqCst, so that a worker that enters the sleepers and then looks here is
        // ordered with a thread that adds an item and then reads the sleepers. Acquire pairs with
        // the exchange in `take`.
        self.newest.load(Ordering::SeqCst).is_null()
    }

    /// How many items were added and counted. An item may be in the list before it is counted.
    pub(crate) fn counted(&self) -> usize {
        // Ordering: as in `is_empty`.
        self.counted.load(Ordering::SeqCst)
    }

    /// Adds items that are linked from the newest to the oldest, and counts `count` of them.
    ///
    /// # Safety
    ///
    /// All of them live until they are taken, and no other thread uses their links.
    pub(crate) unsafe fn push(&self, newest: NonNull<T>, oldest: NonNull<T>, count: usize) {
        // Ordering: the address is compared and linked to, not used.
        let mut before = self.newest.load(Ordering::Relaxed);
        loop {
            // SAFETY: as the caller promises.
            unsafe { T::set_next(oldest, before) };
            // Ordering: Release publishes the items and their links to `take`. SeqCst besides: see
            // `is_empty`. A push on top of another continues its release sequence.
            let pushed = self.newest.compare_exchange_weak(
                before,
                newest.as_ptr(),
                Ordering::SeqCst,
                Ordering::Relaxed,
            );
            match pushed {
                Ok(_) => break,
                Err(seen) => before = seen,
            }
        }
        // After the item is there: a thread that is preempted in between has not made the list look
        // longer than it is.
        // Ordering: as for the exchange.
        self.counted.fetch_add(count, Ordering::SeqCst);
    }

    /// Takes all items, the oldest first.
    pub(crate) fn take(&self) -> Taken<T> {
        if self.is_empty() {
            return Taken(ptr::null_mut());
        }
        // Ordering: Acquire pairs with the pushes. Release pairs with `is_empty`.
        let mut newest = self.newest.swap(ptr::null_mut(), Ordering::AcqRel);
        let mut oldest_so_far = ptr::null_mut();
        while let Some(item) = NonNull::new(newest) {
            // SAFETY: the items that were taken are ours, and were linked by `push`.
            newest = unsafe { T::next(item) };
            // SAFETY: as above.
            unsafe { T::set_next(item, oldest_so_far) };
            oldest_so_far = item.as_ptr();
        }
        Taken(oldest_so_far)
    }
}

/// Items that were taken, the oldest first.
pub(crate) struct Taken<T>(*mut T);

impl<T: Linked> Iterator for Taken<T> {
    type Item = NonNull<T>;

    fn next(&mut self) -> Option<NonNull<T>> {
        let item = NonNull::new(self.0)?;
        // SAFETY: the items are ours, linked from the oldest to the newest. This one was not
        // returned yet, so it lives.
        self.0 = unsafe { T::next(item) };
        Some(item)
    }
}
