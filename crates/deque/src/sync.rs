//! The synchronisation primitives: those of the standard library, or of a model checker.

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
    atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, fence},
};

/// The capacity of a new deque. It is small under a model checker, so that models reach growth.
pub(crate) const CAPACITY: usize = if cfg!(any(loom, shuttle)) { 4 } else { 256 };

/// How many items are fenced after a costly forced steal. Each costs its owner some fifteen
/// nanoseconds, so all together cost about as much as the system call costs owner and thief on a
/// virtual machine. One under a model checker, so that models reach the end of fencing.
pub(crate) const FENCED: usize = if cfg!(any(loom, shuttle)) { 1 } else { 1024 };

/// After how many pushes with a real fence an owner asks for free ones. Push and take cost some
/// twenty nanoseconds more with it, so all together cost about as much as the thread that registers
/// the process.
pub(crate) const FENCES_BEFORE_REGISTERING: usize = 4096;

/// LIGHT, where HEAVY makes the other threads execute a fence. A model checker has its own LIGHT,
/// except when it models a system without the call, where this does nothing.
#[cfg(all(any(loom, shuttle), not(filch_no_membarrier)))]
pub(crate) fn compiler_fence(_: Ordering) {
    crate::asymmetric::Light::of_now().fence();
}
#[cfg(any(not(any(loom, shuttle)), filch_no_membarrier))]
pub(crate) use std::sync::atomic::compiler_fence;
