//! How many workers there are, and which one this is.

use crate::global::current;

/// The most threads that a pool is given, whatever is asked for.
pub fn max_num_threads() -> usize {
    // Upstream's limit: programs may count on numbers below it.
    if usize::BITS < 64 { 0xff } else { 0xffff }
}

/// How many threads the current pool has: the one whose worker calls this, or the global one, which this
/// starts if need be.
pub fn current_num_threads() -> usize {
    current(|pool| pool.threads())
}

/// The number of the worker that this thread is in its pool, from 0; `None` outside every pool.
#[inline]
pub fn current_thread_index() -> Option<usize> {
    filch::internals::current_number()
}
