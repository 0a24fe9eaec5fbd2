use core::ptr::NonNull;

use super::{Job, JobHead};
use crate::scheduler::needs::TaskId;
use crate::scheduler::queue::{JobKind, Queued};
use crate::scheduler::worker::Origin;

/// What arrives at a queue in place of a job of which there is more to say than its address.
#[repr(C)]
pub(crate) struct Carrier {
    head: JobHead,
    queued: Queued,
}

impl Carrier {
    /// The job as it arrives at a queue: itself if it is plain and belongs to no call, and in a
    /// carrier otherwise.
    pub(crate) fn wrap(queued: Queued) -> NonNull<JobHead> {
        debug_assert!(
            queued.job.origin == Origin::NONE && queued.job.task == TaskId::SAME,
            "no stolen job is queued"
        );
        if queued.kind == JobKind::Plain && queued.job.call.is_none() {
            return queued.job.head;
        }
        let head = JobHead::of_carrier();
        NonNull::from(Box::leak(Box::new(Self { head, queued }))).cast()
    }

    /// The kind of the job that [`wrap`](Self::wrap) was given.
    ///
    /// # Safety
    ///
    /// `head` came from `wrap`, lives, and was not unwrapped.
    pub(crate) unsafe fn kind(head: NonNull<JobHead>) -> JobKind {
        // SAFETY: as the caller promises.
        if unsafe { head.as_ref() }.is_of_carrier() {
            // SAFETY: only the head of a carrier says so, and it is the carrier's first field.
            return unsafe { head.cast::<Self>().as_ref() }.queued.kind;
        }
        JobKind::Plain
    }

    /// The job that [`wrap`](Self::wrap) was given.
    ///
    /// # Safety
    ///
    /// `head` came from `wrap`, lives, and this is called once.
    pub(crate) unsafe fn unwrap(head: NonNull<JobHead>) -> Queued {
        // SAFETY: as the caller promises.
        if unsafe { head.as_ref() }.is_of_carrier() {
            // SAFETY: only the head of a carrier says so, and `wrap` took it out of a box.
            return unsafe { Box::from_raw(head.cast::<Self>().as_ptr()) }.queued;
        }
        Queued {
            // SAFETY: `wrap` was given the job, which was not run.
            job: unsafe { Job::new(head) },
            kind: JobKind::Plain,
        }
    }
}
