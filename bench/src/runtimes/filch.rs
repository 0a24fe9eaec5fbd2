//! filch's pool.

use filch::Pool;

/// A pool of `threads` workers.
///
/// # Panics
///
/// If the threads cannot be started.
pub(crate) fn start(threads: usize) -> Pool {
    Pool::builder()
        .threads(threads)
        .build()
        .expect("filch starts")
}
