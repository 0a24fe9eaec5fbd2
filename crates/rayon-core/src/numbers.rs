//! How many workers there are, and which one the current thread is.

use crate::global::current;

/// The largest number of threads that a pool gets, whatever was configured.
pub fn max_num_threads() -> usize {
    // Upstream's limit: programs may rely on indices below it.
    if usize::BITS < 64 { 0xff } else { 0xffff }
}

/// The number of threads of the current pool: that of the calling worker, or else the global one,
/// which this starts if need be. In a [deterministic](crate::ThreadPoolBuilder::deterministic) pool
/// it is the width, which may be more.
pub fn current_num_threads() -> usize {
    current(|pool| pool.width())
}

/// The index of the current thread's worker in its pool, from 0; `None` outside every pool.
#[inline]
pub fn current_thread_index() -> Option<usize> {
    filch::internals::current_number()
}
