//! The primitives, so that a model checker can take their place.

#[cfg(loom)]
pub(crate) use loom::sync::{Arc, Condvar, Mutex, MutexGuard, atomic};
#[cfg(shuttle)]
pub(crate) use shuttle::sync::{Arc, Condvar, Mutex, MutexGuard, atomic};
#[cfg(not(any(loom, shuttle)))]
pub(crate) use std::sync::{Arc, Condvar, Mutex, MutexGuard, atomic};

#[cfg(loom)]
pub(crate) use loom::hint::spin_loop;
#[cfg(shuttle)]
pub(crate) use shuttle::{hint::spin_loop, thread, thread_local};
#[cfg(not(any(loom, shuttle)))]
pub(crate) use std::{hint::spin_loop, thread, thread_local};

/// Locks; a panic never happens while one of our locks is held, so poison means nothing.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poison| poison.into_inner())
}
