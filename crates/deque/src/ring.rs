use core::ptr::{self, NonNull};

use crate::sync::AtomicPtr;

/// A ring of slots: item i is in slot i mod capacity.
pub(crate) struct Ring<T> {
    pub(crate) mask: usize,
    pub(crate) slots: Box<[AtomicPtr<T>]>,
    /// The ring that this one replaced. A thief may still read from it.
    pub(crate) older: *mut Ring<T>,
}

impl<T> Ring<T> {
    pub(crate) fn allocate(capacity: usize, older: *mut Self) -> NonNull<Self> {
        debug_assert!(capacity.is_power_of_two());
        let slots = (0..capacity)
            .map(|_| AtomicPtr::new(ptr::null_mut()))
            .collect();
        NonNull::from(Box::leak(Box::new(Self {
            mask: capacity - 1,
            slots,
            older,
        })))
    }

    #[inline]
    pub(crate) fn slot(&self, index: usize) -> &AtomicPtr<T> {
        // SAFETY: there are mask + 1 slots, and `& mask` is at most mask.
        unsafe { self.slots.get_unchecked(index & self.mask) }
    }
}
