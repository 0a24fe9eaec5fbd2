//! How many threads of the process can run at the same time.
#![allow(unsafe_code, reason = "the system is asked through libc")]

use core::num::NonZero;
use std::sync::OnceLock;
use std::thread;

/// How many processors the process may use.
///
/// That is its affinity. A quota of processor time (cgroups) does not count: threads run side by
/// side until it is used up. Nor is it worth its price here: to find it, the standard library reads
/// several files, which takes longer than to start a worker.
pub(super) fn processors() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    let count = || affinity().or_else(|| thread::available_parallelism().ok());
    *PROCESSORS.get_or_init(|| count().map_or(1, NonZero::get))
}

/// The size of the affinity mask, unless the system has none or more processors than fit into it.
#[cfg(target_os = "linux")]
fn affinity() -> Option<NonZero<usize>> {
    // SAFETY: the mask is an array of integers.
    let mut mask: libc::cpu_set_t = unsafe { core::mem::zeroed() };
    let size = size_of_val(&mask);
    // SAFETY: the pointer is to a mask of that size, and 0 is this thread.
    let is_filled = unsafe { libc::sched_getaffinity(0, size, &raw mut mask) } == 0;
    // SAFETY: it reads the bits of a mask that was filled.
    let count = || unsafe { libc::CPU_COUNT(&mask) };
    NonZero::new(usize::try_from(is_filled.then(count)?).ok()?)
}

#[cfg(not(target_os = "linux"))]
fn affinity() -> Option<NonZero<usize>> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quota, or a mask that is set for a thread, makes the standard library's number smaller.
    #[test]
    fn there_are_at_least_as_many_as_the_standard_library_counts() {
        let least = thread::available_parallelism().map_or(1, NonZero::get);
        assert!(processors() >= least);
    }
}
