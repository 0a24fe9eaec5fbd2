use core::ptr::{self, NonNull};

use crate::scheduler::worker::{Origin, Worker};
use crate::sync::atomic::{AtomicPtr, Ordering};

/// The first field of every job, and all that a deque or a queue knows of it.
#[repr(C)]
pub(crate) struct JobHead {
    /// A [`RunFn`]; null once a [`JoinJob`](super::JoinJob) was started by a thief.
    run: AtomicPtr<()>,
}

/// Runs a job. The origin matters only for a stolen child of a join.
///
/// # Safety
///
/// The pointer is that of the job that holds this function, and the job is run at most once.
pub(super) type RunFn = unsafe fn(NonNull<JobHead>, &Worker, Origin);

impl JobHead {
    #[inline(always)]
    pub(super) fn new(run: RunFn) -> Self {
        Self {
            run: AtomicPtr::new(run as *mut ()),
        }
    }

    pub(super) fn run(&self) -> RunFn {
        // Ordering: the caller got the job from a deque or a queue, which published it.
        let run = self.run.load(Ordering::Relaxed);
        // SAFETY: `new` made the pointer from a `RunFn`, and `begin` was not called yet.
        unsafe { core::mem::transmute::<*mut (), RunFn>(run) }
    }

    /// Tells the forking worker that the thief has written the job's latch.
    pub(super) fn begin(&self) {
        // Ordering: Release pairs with the load in `has_begun`.
        self.run.store(ptr::null_mut(), Ordering::Release);
    }

    pub(super) fn has_begun(&self) -> bool {
        self.run.load(Ordering::Acquire).is_null()
    }
}
