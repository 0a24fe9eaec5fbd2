use core::ptr::NonNull;
use std::panic::{self, AssertUnwindSafe};
use std::thread::Result;

use super::outcome::Outcome;
use super::{CrossLatch, Job, JobHead, discard};
use crate::scheduler::needs::TaskId;
use crate::scheduler::worker::{Origin, Worker};
use crate::sync::{Arc, Mutex, into_inner, lock};

/// An independent job, in one allocation that the queue and the handle share.
///
/// A worker that takes the job out of its queue runs it, or a worker that waits for the handle:
/// whichever takes `body` first.
#[repr(C)]
pub(crate) struct Task<F, R> {
    head: JobHead,
    body: Mutex<Option<F>>,
    outcome: Outcome<R>,
}

/// A task as its handle sees it.
pub(crate) trait AwaitedTask<R>: Send + Sync {
    /// Runs the task unless it was started.
    fn run_if_unstarted(&self);
    /// Blocks until the task has ended and takes its result.
    fn wait(&self) -> Result<R>;
    /// Registers `latch` to be set when the task ends. False if it has ended.
    ///
    /// # Safety
    ///
    /// If this returns true, the latch is not dropped before it is set.
    unsafe fn set_when_done(&self, latch: &CrossLatch) -> bool;
    /// Whether the task has ended.
    fn is_finished(&self) -> bool;
    /// As [`Outcome::poll`].
    #[cfg(feature = "async")]
    fn poll(&self, waker: &core::task::Waker) -> core::task::Poll<Result<R>>;
    /// Drops the closure of the task unless it was started; then there will be no result. No task
    /// polls any more: the waker of the last one is dropped.
    #[cfg(feature = "async")]
    fn cancel(&self);
}

impl<F: FnOnce() -> R + Send + 'static, R: Send + 'static> Task<F, R> {
    pub(crate) fn new(body: F) -> Arc<Self> {
        Arc::new(Self {
            head: JobHead::new(Self::run_task),
            body: Mutex::new(Some(body)),
            outcome: Outcome::new(),
        })
    }

    /// The task as a job for a queue, which shares it with the handle.
    pub(crate) fn job(self: &Arc<Self>) -> Job {
        let raw = Arc::into_raw(Arc::clone(self)).cast_mut();
        // SAFETY: the pointer of an `Arc` is not null.
        let head = unsafe { NonNull::new_unchecked(raw) }.cast();
        // SAFETY: the queue's count keeps the task alive until the job is run.
        unsafe { Job::new(head) }
    }

    /// The task will not run: its result is a panic with this message.
    #[cfg(feature = "async")]
    pub(crate) fn refuse(&self, why: &'static str) {
        self.cancel();
        self.outcome.finish(Err(Box::new(why)));
    }

    /// # Safety
    ///
    /// As [`JobHead::run`].
    unsafe fn run_task(head: NonNull<JobHead>, worker: &Worker, _: Origin) {
        // SAFETY: the pointer came from `job`, which left it one count.
        let task = unsafe { Arc::from_raw(head.cast::<Self>().as_ptr()) };
        let task = match Arc::try_unwrap(task) {
            // The handle was dropped before the task began: nothing waits for it.
            Ok(task) => return task.run_without_handle(worker),
            Err(shared) => shared,
        };
        let id = TaskId::at(Arc::as_ptr(&task));
        worker.within(None, id, || task.run_if_unstarted());
        // Ours is the last count if the handle was dropped. Then the pool's handler gets the panic.
        match Arc::into_inner(task).and_then(|task| task.outcome.into_result()) {
            Some(Err(panic)) => worker.report(panic),
            unwanted => discard(unwanted),
        }
    }
}

impl<F: FnOnce() -> R + Send + 'static, R: Send + 'static> Task<F, R> {
    /// Runs a task that no other thread can reach. The pool's handler gets its panic.
    fn run_without_handle(self, worker: &Worker) {
        // Its waker, if there is one left, is the executor's code.
        discard(self.outcome);
        let Some(body) = into_inner(self.body) else {
            return;
        };
        let run = || match panic::catch_unwind(AssertUnwindSafe(body)) {
            Ok(result) => discard(result),
            Err(panic) => worker.report(panic),
        };
        worker.within(None, TaskId::NONE, run);
    }
}

impl<F: FnOnce() -> R + Send, R: Send> AwaitedTask<R> for Task<F, R> {
    fn run_if_unstarted(&self) {
        let body = lock(&self.body).take();
        if let Some(body) = body {
            self.outcome
                .finish(panic::catch_unwind(AssertUnwindSafe(body)));
        }
    }

    fn wait(&self) -> Result<R> {
        self.outcome.wait()
    }

    unsafe fn set_when_done(&self, latch: &CrossLatch) -> bool {
        // SAFETY: promised by the caller.
        unsafe { self.outcome.set_when_done(latch) }
    }

    fn is_finished(&self) -> bool {
        self.outcome.is_finished()
    }

    #[cfg(feature = "async")]
    fn poll(&self, waker: &core::task::Waker) -> core::task::Poll<Result<R>> {
        self.outcome.poll(waker)
    }

    #[cfg(feature = "async")]
    fn cancel(&self) {
        // Outside the lock: it is the user's code.
        let body = lock(&self.body).take();
        discard(body);
        self.outcome.drop_waker();
    }
}
