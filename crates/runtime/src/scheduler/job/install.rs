use core::cell::UnsafeCell;
use core::ptr::NonNull;
use std::panic::{self, AssertUnwindSafe};
use std::thread::Result;

use super::{Job, JobHead, Signal};
use crate::scheduler::worker::{Origin, Worker};

/// Work for which a thread outside the pool waits, on the stack of that caller.
#[repr(C)]
pub(crate) struct InstallJob<F, R, L> {
    head: JobHead,
    latch: L,
    body: UnsafeCell<Option<F>>,
    result: UnsafeCell<Option<Result<R>>>,
}

impl<F: FnOnce() -> R + Send, R: Send, L: Signal> InstallJob<F, R, L> {
    pub(crate) fn new(body: F, latch: L) -> Self {
        Self {
            head: JobHead::new(Self::run_installed),
            latch,
            body: UnsafeCell::new(Some(body)),
            result: UnsafeCell::new(None),
        }
    }

    /// # Safety
    ///
    /// This is called once, and the job is not dropped before its latch is set.
    pub(crate) unsafe fn job(&self) -> Job {
        // SAFETY: promised by the caller.
        unsafe { Job::new(NonNull::from(self).cast()) }
    }

    pub(crate) fn latch(&self) -> &L {
        &self.latch
    }

    /// The result, once the latch is set.
    pub(crate) fn into_result(self) -> Result<R> {
        self.result
            .into_inner()
            .expect("an installed job has run when its latch is set")
    }

    /// # Safety
    ///
    /// As [`JobHead::run`]; the job lives until its latch is set.
    unsafe fn run_installed(head: NonNull<JobHead>, _: &Worker, _: Origin) {
        // SAFETY: the caller waits for the latch, so the job lives.
        let this = unsafe { head.cast::<Self>().as_ref() };
        // SAFETY: a job is run once, and only its run uses the body.
        let body = unsafe { &mut *this.body.get() }
            .take()
            .expect("an installed job runs once");
        let result = panic::catch_unwind(AssertUnwindSafe(body));
        // SAFETY: the caller does not read the result before the latch is set.
        unsafe { *this.result.get() = Some(result) };
        // SAFETY: the latch lives until it is set.
        unsafe { L::signal(NonNull::from(&this.latch)) };
    }
}
