use std::sync::{LockResult, PoisonError};

/// The guard of a lock, whether or not a thread has panicked while it held the lock.
///
/// Right only where a panic leaves what is locked whole. That holds for every lock of this crate:
/// each one is held for a few statements, and those that may panic come before the first change.
pub(crate) fn unpoisoned<G>(locked: LockResult<G>) -> G {
    locked.unwrap_or_else(PoisonError::into_inner)
}
