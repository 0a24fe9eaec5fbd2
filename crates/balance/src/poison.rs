use std::sync::{LockResult, PoisonError};

/// The guard of a lock, whether or not a thread has panicked while it held the lock.
///
/// Right only where a panic leaves the locked data whole. That holds for every lock of this crate:
/// no code that may panic runs between two changes that belong together.
pub(crate) fn unpoisoned<G>(locked: LockResult<G>) -> G {
    locked.unwrap_or_else(PoisonError::into_inner)
}
