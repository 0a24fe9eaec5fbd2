//! What workers run: a pointer to a job that begins with the function that runs it.
//!
//! | job | made by | lives |
//! |---|---|---|
//! | [`JoinJob`] | `join`, for its second closure | on the stack of the worker that forks it |
//! | [`HeapJob`] | `Scope::spawn`, spawns without a handle, turns of `spawn_in` | in a block of a worker's free list |
//! | [`InstallJob`] | `Pool::install` from outside the pool | on the stack of the caller, which waits |
//! | [`Task`] | `spawn`, `spawn_batch` | in an `Arc` that queue and handle share |
#![allow(
    unsafe_code,
    reason = "jobs live on other threads' stacks and are run through pointers"
)]

mod carrier;
mod head;
mod heap;
mod install;
mod join;
mod outcome;
mod panic;
mod signal;
mod task;

pub(crate) use carrier::Carrier;
pub(crate) use head::JobHead;
pub(crate) use heap::HeapJob;
pub(crate) use install::InstallJob;
pub(crate) use join::{JoinJob, Migrated};
pub(crate) use outcome::Outcome;
pub(crate) use panic::{Panic, discard};
pub(crate) use signal::{CrossLatch, Signal};
pub(crate) use task::{AwaitedTask, Task};

use core::ptr::NonNull;

use crate::scheduler::call::Call;
use crate::scheduler::needs::TaskId;
use crate::scheduler::record;
use crate::scheduler::worker::{Origin, Worker};
use crate::sync::Arc;

/// A job that was not started. Its holder is the only one that may run it.
pub(crate) struct Job {
    head: NonNull<JobHead>,
    /// The call from another pool that the job belongs to.
    pub(crate) call: Option<Arc<Call>>,
    /// The task that the job belongs to, if it is not the one that its worker runs.
    task: TaskId,
    /// The job that forked it, if it was stolen.
    origin: Origin,
}

// SAFETY: a job may be run by any thread; the constructors require that its content may be sent.
unsafe impl Send for Job {}

impl Job {
    /// # Safety
    ///
    /// The job was not run, is run through the returned value only, and lives until then. So it is
    /// in one queue at a time, to which it may be linked.
    #[inline]
    pub(crate) unsafe fn new(head: NonNull<JobHead>) -> Self {
        Self {
            head,
            call: None,
            task: TaskId::SAME,
            origin: Origin::NONE,
        }
    }

    /// The same job, as a part of `call`.
    pub(crate) fn within(self, call: Option<Arc<Call>>) -> Self {
        Self { call, ..self }
    }

    /// The same job, as a part of `task`.
    pub(crate) fn of_task(self, task: TaskId) -> Self {
        Self { task, ..self }
    }

    /// The same job, stolen from the worker that runs `origin`.
    pub(crate) fn forked_by(self, origin: Origin) -> Self {
        Self { origin, ..self }
    }

    pub(crate) fn run(self, worker: &Worker) {
        // SAFETY: `new` promised that this is the one run.
        let run = || unsafe { run_head(self.head, worker, self.origin) };
        worker.within(self.call, self.task, run);
    }

    /// Runs a job of the worker's own deque, which belongs to what the worker runs.
    ///
    /// # Safety
    ///
    /// As for [`new`](Self::new).
    #[inline]
    pub(crate) unsafe fn run_own(head: NonNull<JobHead>, worker: &Worker) {
        // SAFETY: as the caller promises.
        unsafe { run_head(head, worker, Origin::NONE) };
    }

    #[cfg(all(test, not(any(loom, shuttle))))]
    pub(crate) fn address(&self) -> usize {
        self.head.addr().get()
    }

    #[inline]
    pub(crate) fn into_head(self) -> NonNull<JobHead> {
        self.head
    }
}

/// # Safety
///
/// The job was not run and lives.
#[inline]
unsafe fn run_head(head: NonNull<JobHead>, worker: &Worker, origin: Origin) {
    // Every job catches the panics of its body. If anything else unwound, frames that wait for
    // other jobs would be freed while these jobs still run.
    let abort = AbortOnUnwind;
    let _on_top = record::OnTop::begin();
    worker.count_a_run();
    // SAFETY: the job lives.
    let run = unsafe { head.as_ref() }.run();
    // SAFETY: this is the one run.
    unsafe { run(head, worker, origin) };
    core::mem::forget(abort);
}

struct AbortOnUnwind;

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        std::process::abort();
    }
}
