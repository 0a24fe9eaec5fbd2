use core::ptr::NonNull;

use crate::latch::{BlockingLatch, Latch};
use crate::scheduler::pool::PoolShared;
use crate::sync::Arc;

/// The two ways to wait for an installed job.
pub(crate) trait Signal {
    /// # Safety
    ///
    /// `this` lives until the waiting thread can see it set.
    unsafe fn signal(this: NonNull<Self>);
}

/// What a worker waits for that is not done by its own pool. It keeps that pool, and with it the
/// worker's parker, until the worker has been woken.
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
        // SAFETY: the latch lives until it is set, and the parker as long as `pool`.
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
