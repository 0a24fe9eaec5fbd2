//! Locks that a panic does not close.

use std::sync::{LockResult, PoisonError};

/// The guard of a lock, whether or not a thread has panicked while it held the lock: a hook that
/// panics must not close it for the other worker threads. What such a hook leaves behind is at
/// worst a server or a lease too many.
pub(crate) fn unpoisoned<G>(locked: LockResult<G>) -> G {
    locked.unwrap_or_else(PoisonError::into_inner)
}
