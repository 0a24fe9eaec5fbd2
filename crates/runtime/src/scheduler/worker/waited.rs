//! Frames that other threads write into do not unwind.

use super::Worker;
use crate::scheduler::pool::PoolShared;

impl Worker {
    /// Runs `wait`, which waits for other threads that hold pointers into the frames of the caller.
    /// If it panicked, these frames would be freed while the others still write into them, so the
    /// process ends instead. In a forked process there are no other threads.
    pub(super) fn without_unwinding(&self, wait: impl FnOnce()) {
        let abort = AbortUnlessForked {
            shared: &self.shared,
        };
        wait();
        core::mem::forget(abort);
    }
}

struct AbortUnlessForked<'a> {
    shared: &'a PoolShared,
}

impl Drop for AbortUnlessForked<'_> {
    fn drop(&mut self) {
        if !self.shared.is_other_process() {
            std::process::abort();
        }
    }
}
