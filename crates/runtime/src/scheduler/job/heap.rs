use core::ptr::NonNull;

use super::{Job, JobHead};
use crate::scheduler::blocks::Blocks;
use crate::scheduler::worker::Worker;

/// A child of a scope, on the heap: at most one allocation for each spawn.
#[repr(C)]
pub(crate) struct HeapJob<F> {
    head: JobHead,
    body: F,
}

impl<F: FnOnce(&Worker) + Send> HeapJob<F> {
    /// In memory of the current worker, if there is one.
    ///
    /// # Safety
    ///
    /// Whatever `body` borrows outlives its run.
    pub(crate) unsafe fn allocate(body: F, worker: Option<&Worker>) -> Job {
        let job = Self {
            head: JobHead::new(Self::run_once),
            body,
        };
        let stored = Blocks::store(worker.map(Worker::blocks), job);
        // SAFETY: the memory is this one job's.
        unsafe { Job::new(stored.cast()) }
    }

    /// # Safety
    ///
    /// As [`JobHead::run`].
    unsafe fn run_once(head: NonNull<JobHead>, worker: &Worker) {
        // SAFETY: the pointer came from `allocate`, and is run once.
        let job = unsafe { worker.blocks().take_back(head.cast::<Self>()) };
        (job.body)(worker);
    }
}
