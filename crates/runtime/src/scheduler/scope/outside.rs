//! Scopes that were opened from outside the pool.

use core::ptr::NonNull;

use crate::latch::BlockingLatch;
use crate::scheduler::job::{CrossLatch, Signal as _};

/// What a thread waits for that opened a scope on a pool in which it is no worker.
pub(super) enum Outside {
    Thread(BlockingLatch),
    Worker(CrossLatch),
}

impl Outside {
    /// # Safety
    ///
    /// `this` lives until the waiter can see it set.
    #[allow(unsafe_code, reason = "the scope may be gone before this returns")]
    pub(super) unsafe fn signal(this: NonNull<Self>) {
        // SAFETY: it is not set yet, so it lives.
        match unsafe { this.as_ref() } {
            // SAFETY: promised by the caller.
            Self::Thread(latch) => unsafe { BlockingLatch::signal(NonNull::from(latch)) },
            // SAFETY: promised by the caller.
            Self::Worker(latch) => unsafe { CrossLatch::signal(NonNull::from(latch)) },
        }
    }
}
