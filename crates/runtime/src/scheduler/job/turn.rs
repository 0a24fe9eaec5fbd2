use core::ptr::NonNull;

use super::{Job, JobHead};
use crate::scheduler::worker::{Origin, Worker};

/// A turn in a queue: whichever job of the pool's [lanes](crate::scheduler::classes::Lanes) is first
/// when the turn comes. All turns of a pool are this one job, which holds nothing.
#[repr(transparent)]
pub(crate) struct TurnJob {
    head: JobHead,
}

impl TurnJob {
    pub(crate) fn new() -> Self {
        Self {
            head: JobHead::new(Self::run_turn),
        }
    }

    /// A turn, for a queue of the pool that holds this job. There is a job in the lanes for each.
    pub(crate) fn another(&self) -> Job {
        // SAFETY: this job lives as long as the pool, whose workers run it. Its function takes
        // nothing from it, so each turn is a run of its own.
        unsafe { Job::new(NonNull::from(self).cast()) }
    }

    /// # Safety
    ///
    /// None: the pointer is not used.
    unsafe fn run_turn(_: NonNull<JobHead>, worker: &Worker, _: Origin) {
        worker.shared().lanes.pop().run(worker);
    }
}
