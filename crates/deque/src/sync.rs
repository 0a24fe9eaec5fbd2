//! The primitives, so that a model checker can take their place.

#[cfg(loom)]
pub(crate) use loom::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, fence},
    },
    thread::yield_now,
};
#[cfg(shuttle)]
pub(crate) use shuttle::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, fence},
    },
    thread::yield_now,
};
#[cfg(not(any(loom, shuttle)))]
pub(crate) use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, fence},
    },
    thread::yield_now,
};

/// The capacity of a new deque. A model checker wants to see it grow.
pub(crate) const CAPACITY: usize = if cfg!(any(loom, shuttle)) { 4 } else { 256 };

/// How many items are fenced after one that was taken by a system call. Each costs its owner some fifteen nanoseconds, so all
/// together about as much as the call costs owner and thief on a virtual machine; and a model checker wants to see the end of it.
pub(crate) const FENCED: usize = if cfg!(any(loom, shuttle)) { 1 } else { 1024 };

/// LIGHT, where HEAVY makes the others execute a fence. A model checker has its own, unless it is to model a
/// system without the call, where this is nothing.
#[cfg(all(any(loom, shuttle), not(filch_no_membarrier)))]
pub(crate) fn compiler_fence(_: Ordering) {
    crate::asymmetric::Light::settled().fence();
}
#[cfg(any(not(any(loom, shuttle)), filch_no_membarrier))]
pub(crate) use std::sync::atomic::compiler_fence;

/// Writes a slot, on which a thief may put a mark at the same time.
///
/// loom keeps no order between a store and a compare-and-swap that do not know of each other, and
/// would let the writer read the older value afterwards. It does keep one between two exchanges.
#[inline]
pub(crate) fn put<T>(slot: &AtomicPtr<T>, item: *mut T, order: Ordering) {
    #[cfg(loom)]
    slot.swap(item, order);
    #[cfg(not(loom))]
    slot.store(item, order);
}
