//! The primitives, so that a model checker can take their place.

#[cfg(loom)]
pub(crate) use loom::sync::{
    Arc,
    atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, fence},
};
#[cfg(shuttle)]
pub(crate) use shuttle::sync::{
    Arc,
    atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, fence},
};
#[cfg(not(any(loom, shuttle)))]
pub(crate) use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering},
};

/// The capacity of a new deque. A model checker wants to see it grow.
pub(crate) const CAPACITY: usize = if cfg!(any(loom, shuttle)) { 2 } else { 256 };

/// LIGHT, where HEAVY makes the others execute a fence. A model checker knows no such thing, and gets a
/// fence on both sides.
#[cfg(any(loom, shuttle))]
pub(crate) use fence as compiler_fence;
#[cfg(not(any(loom, shuttle)))]
pub(crate) use std::sync::atomic::compiler_fence;
