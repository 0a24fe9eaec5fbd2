use core::ptr::{self, NonNull};

use crate::scheduler::worker::Worker;
use crate::sync::atomic::{AtomicPtr, Ordering};

/// The beginning of every job, all that a deque or a queue knows of it.
#[repr(C)]
pub(crate) struct JobHead {
    /// A [`RunFn`], until the job has begun. Only a job that others look at then changes it.
    run: AtomicPtr<()>,
}

/// How to run a job.
///
/// # Safety
///
/// The pointer is the job's, and it is run at most once.
pub(super) type RunFn = unsafe fn(NonNull<JobHead>, &Worker);

impl JobHead {
    #[inline]
    pub(super) fn new(run: RunFn) -> Self {
        Self {
            run: AtomicPtr::new(run as *mut ()),
        }
    }

    pub(super) fn run(&self) -> RunFn {
        // Ordering: whoever has the job got it from a deque or a queue, which published it.
        let run = self.run.load(Ordering::Relaxed);
        // SAFETY: `new` made it from a `RunFn`, and the job has not begun.
        unsafe { core::mem::transmute::<*mut (), RunFn>(run) }
    }

    /// The job has begun, and what it is about to leave for others is in place.
    pub(super) fn begin(&self) {
        // Ordering: Release pairs with the load in `has_begun`.
        self.run.store(ptr::null_mut(), Ordering::Release);
    }

    pub(super) fn has_begun(&self) -> bool {
        self.run.load(Ordering::Acquire).is_null()
    }
}
