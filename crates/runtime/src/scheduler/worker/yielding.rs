//! Running other work in the middle of a job, because the job asks for it.
//!
//! A waiting worker keeps to what is below its latch. A job that *yields* waives that for one piece
//! of work: it states that anything may run on top of its frames.

use filch_deque::StealOutcome;

use super::{Origin, Worker};
use crate::scheduler::job::Job;

impl Worker {
    /// Runs one piece of this worker's own work. False if there is none.
    pub(crate) fn yield_local(&self) -> bool {
        self.next_own().map(|job| self.run_on_top(job)).is_some()
    }

    /// Runs one piece of work, its own or stolen. False if there is none.
    pub(crate) fn yield_now(&self) -> bool {
        let job = self.next_own().or_else(|| self.steal_round(|_| true));
        job.map(|job| self.run_on_top(job)).is_some()
    }

    /// Whether this worker has work that was not started.
    pub(crate) fn has_pending(&self) -> bool {
        !self.seat().is_empty()
    }

    /// First the queue, then the deque, and there the oldest item, as a thief would. The frames
    /// above expect the newest item to be theirs, and can handle it if the oldest is gone.
    fn next_own(&self) -> Option<Job> {
        if let Some(job) = self.next_queued() {
            return Some(job);
        }
        self.deque.publish();
        let seat = self.seat();
        let mut origin = Origin::NONE;
        let stolen = seat.thief.steal_if(|position| {
            origin = seat.lineage.origin_at(self.index, position);
            true
        });
        match stolen {
            // SAFETY: every item of a deque was pushed by `fork` and leaves the deque once.
            StealOutcome::Got(head) => Some(unsafe { Job::new(head) }.forked_by(origin)),
            _ => None,
        }
    }
}
