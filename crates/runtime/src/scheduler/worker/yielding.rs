//! Running something else in the midst of a job, because the job asks for it.
//!
//! A worker that waits keeps to what is below its latch. A job that *yields* gives that up for one piece of
//! work: it says that it can bear anything on top of its frames, so anything will do.

use filch_deque::StealOutcome;

use super::Worker;
use crate::scheduler::job::Job;

impl Worker {
    /// Runs one piece of this worker's own work; false if it has none.
    pub(crate) fn yield_local(&self) -> bool {
        self.next_own().map(|job| self.run_on_top(job)).is_some()
    }

    /// Runs one piece of work, its own or another's; false if there is none.
    pub(crate) fn yield_now(&self) -> bool {
        let job = self.next_own().or_else(|| self.steal_round(|_| true));
        job.map(|job| self.run_on_top(job)).is_some()
    }

    /// Whether this worker has work that it has not begun.
    pub(crate) fn has_pending(&self) -> bool {
        !self.seat().is_empty()
    }

    /// First the queue, then the deque, and there the oldest, as a thief would: the frames above expect
    /// the newest to be theirs, and know what to do if the oldest is gone.
    fn next_own(&self) -> Option<Job> {
        if let Some(job) = self.next_queued() {
            return Some(job);
        }
        self.deque.publish();
        match self.seat().thief.steal() {
            // SAFETY: what comes out of a deque was put in by `fork`, and comes out once.
            StealOutcome::Got(head) => Some(unsafe { Job::new(head) }),
            _ => None,
        }
    }
}
