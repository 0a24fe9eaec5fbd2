use core::ptr::NonNull;

use super::{Job, JobHead};
use crate::scheduler::blocks::Blocks;
use crate::scheduler::worker::{Origin, Worker};

/// A job on the heap that owns its closure: a child of a scope, or a job without a handle.
#[repr(C)]
pub(crate) struct HeapJob<F> {
    head: JobHead,
    body: F,
}

impl<F: FnOnce(&Worker) + Send> HeapJob<F> {
    /// Allocates a job, from the free list of `worker` if there is one.
    ///
    /// # Safety
    ///
    /// What `body` borrows lives until the job has run.
    pub(crate) unsafe fn allocate(body: F, worker: Option<&Worker>) -> Job {
        let job = Self {
            head: JobHead::new(Self::run_once),
            body,
        };
        let stored = Blocks::store(worker.map(Worker::blocks), job);
        // SAFETY: the job was just made, and only the returned value points to it.
        unsafe { Job::new(stored.cast()) }
    }

    /// # Safety
    ///
    /// As [`JobHead::run`].
    unsafe fn run_once(head: NonNull<JobHead>, worker: &Worker, _: Origin) {
        // SAFETY: the pointer came from `allocate`, and a job is run once.
        let job = unsafe { worker.blocks().take_back(head.cast::<Self>()) };
        (job.body)(worker);
    }
}
