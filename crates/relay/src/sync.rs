//! The synchronisation primitives: those of the standard library, or of the model checker.

#[cfg(loom)]
pub(crate) use loom::{
    hint::spin_loop,
    sync::Arc,
    sync::atomic::{AtomicBool, AtomicPtr, Ordering},
    thread::{self, Thread},
};
#[cfg(not(loom))]
pub(crate) use std::{
    hint::spin_loop,
    sync::Arc,
    sync::atomic::{AtomicBool, AtomicPtr, Ordering},
    thread::{self, Thread},
};

/// How often a thread looks whether the state is free before it gives up or sleeps. Between all
/// looks together are some 140 pauses of the processor, which are several microseconds: several
/// times what a turn of the dispatcher takes, and less than to put a thread to sleep and wake it.
/// One look under the model checker.
pub(crate) const LOOKS: usize = if cfg!(loom) { 1 } else { 12 };
