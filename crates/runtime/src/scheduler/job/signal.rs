use core::ptr::NonNull;

use crate::latch::{BlockingLatch, Latch};
use crate::scheduler::pool::PoolShared;
use crate::sync::Arc;

/// What the end of a job signals to a waiter outside the pool: another pool's worker, or a thread
/// that is no worker.
pub(crate) trait Signal {
    /// # Safety
    ///
    /// `this` lives until the waiter can see it set.
    unsafe fn signal(this: NonNull<Self>);
}

/// A latch for which a worker waits and that a thread of another pool sets. The thread that sets it
/// keeps the waiter's pool alive, and with it the waiter's parker, until the waiter was woken.
pub(crate) struct CrossLatch {
    latch: Latch,
    pool: Arc<PoolShared>,
}

impl CrossLatch {
    pub(crate) fn new(pool: Arc<PoolShared>) -> Self {
        Self {
            latch: Latch::new(),
            pool,
        }
    }

    pub(crate) fn latch(&self) -> &Latch {
        &self.latch
    }
}

impl Signal for CrossLatch {
    unsafe fn signal(this: NonNull<Self>) {
        // SAFETY: the latch is not set yet, so it lives.
        let cross = unsafe { this.as_ref() };
        let latch = NonNull::from(&cross.latch);
        let pool = Arc::clone(&cross.pool);
        // SAFETY: the latch lives until it is set, and the parker lives as long as `pool`.
        unsafe { Latch::set(latch) };
        drop(pool);
    }
}

impl Signal for BlockingLatch {
    unsafe fn signal(this: NonNull<Self>) {
        // SAFETY: promised by the caller.
        unsafe { Self::set(this) };
    }
}
