//! The synchronisation primitives: those of the standard library, or of a model checker.

#[cfg(loom)]
pub(crate) use loom::sync::{Arc, Condvar, Mutex, MutexGuard, atomic};
#[cfg(shuttle)]
pub(crate) use shuttle::sync::{Arc, Condvar, Mutex, MutexGuard, atomic};
#[cfg(not(any(loom, shuttle)))]
pub(crate) use std::sync::{Arc, Condvar, Mutex, MutexGuard, atomic};

#[cfg(loom)]
pub(crate) use loom::hint::spin_loop;
#[cfg(shuttle)]
pub(crate) use shuttle::sync::Weak;
#[cfg(not(any(loom, shuttle)))]
pub(crate) use std::sync::Weak;

#[cfg(shuttle)]
pub(crate) use shuttle::{hint::spin_loop, thread, thread_local};
#[cfg(not(any(loom, shuttle)))]
pub(crate) use std::{hint::spin_loop, thread, thread_local};

/// What is in a mutex that no other thread has. Poison is ignored, as in [`lock`].
pub(crate) fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex
        .into_inner()
        .unwrap_or_else(|poison| poison.into_inner())
}

/// Locks a mutex. Poison is ignored: no code that can panic runs while one of our locks is held.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poison| poison.into_inner())
}
