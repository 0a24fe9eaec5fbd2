use core::ptr::{self, NonNull};

use crate::sync::{AtomicPtr, AtomicUsize, Ordering};

/// An array of slots for the items from an *origin* on: item i is in slot i − origin.
pub(crate) struct Ring<T> {
    /// Written by the owner, while the deque is empty or before the ring is in use.
    origin: AtomicUsize,
    pub(crate) slots: Box<[AtomicPtr<T>]>,
    /// The ring that was allocated before this one. A thief may still read from it.
    pub(crate) older: *mut Ring<T>,
}

impl<T> Ring<T> {
    pub(crate) fn allocate(capacity: usize, older: *mut Self) -> NonNull<Self> {
        let slots = (0..capacity)
            .map(|_| AtomicPtr::new(ptr::null_mut()))
            .collect();
        NonNull::from(Box::leak(Box::new(Self {
            origin: AtomicUsize::new(0),
            slots,
            older,
        })))
    }

    /// One past the last index that has a slot.
    pub(crate) fn end(&self) -> usize {
        self.origin() + self.slots.len()
    }

    /// Lets the first slot be that of the item at `origin`. Returns the address at which the slot
    /// of item zero would be.
    pub(crate) fn begin_at(&self, origin: usize) -> *const AtomicPtr<T> {
        // Ordering: a thief that sees an item pushed from now on, or sees the ring in use, sees
        // this. Another thief may see either value: its swap fails.
        self.origin.store(origin, Ordering::Relaxed);
        self.slots.as_ptr().wrapping_sub(origin)
    }

    /// The slot of the item at `index`. `None` if there is none: then the item is gone.
    pub(crate) fn slot(&self, index: usize) -> Option<&AtomicPtr<T>> {
        self.slots.get(index.wrapping_sub(self.origin()))
    }

    fn origin(&self) -> usize {
        // Ordering: see `begin_at`.
        self.origin.load(Ordering::Relaxed)
    }
}
