//! Running other work in the middle of a job, because the job asks for it.
//!
//! A waiting worker keeps to what is below its latch. A job that *yields* waives that for one piece
//! of work: it states that anything may run on top of its frames.

use filch_deque::StealOutcome;

use super::{Origin, Worker};
use crate::scheduler::job::Job;
use crate::scheduler::needs::TaskId;

impl Worker {
    /// Runs one piece of this worker's own work. False if there is none.
    pub(crate) fn yield_local(&self) -> bool {
        self.yield_to(|| self.next_own())
    }

    /// Runs one piece of work, its own or stolen. False if there is none.
    pub(crate) fn yield_now(&self) -> bool {
        self.yield_to(|| self.next_own().or_else(|| self.steal_round(|_| true)))
    }

    /// A stand-in whose job was run already is no work.
    fn yield_to(&self, find: impl Fn() -> Option<Job>) -> bool {
        while let Some(job) = find() {
            let (runs, vain) = (self.runs.get(), self.runs_in_vain.get());
            self.run_on_top(job);
            let ran_nothing_else = self.runs.get() == runs.wrapping_add(1);
            let was_in_vain = ran_nothing_else && self.runs_in_vain.get() != vain;
            if !was_in_vain {
                return true;
            }
        }
        self.take_turns_with_number();
        false
    }

    /// This worker begins to run a job from a deque or a queue.
    pub(crate) fn count_a_run(&self) {
        self.runs.set(self.runs.get().wrapping_add(1));
    }

    /// The job is a stand-in, and the job behind it was run already.
    pub(crate) fn count_a_run_in_vain(&self) {
        self.runs_in_vain
            .set(self.runs_in_vain.get().wrapping_add(1));
    }

    /// Whether this worker has work that was not started.
    pub(crate) fn has_pending(&self) -> bool {
        !self.seat().is_empty()
    }

    /// First the queue, then the deque, and there the oldest item, as a thief would. The frames
    /// above expect the newest item to be theirs, and can handle it if the oldest is gone.
    pub(super) fn next_own(&self) -> Option<Job> {
        if let Some(job) = self.next_queued() {
            return Some(job);
        }
        self.deque.publish();
        let seat = self.seat();
        let (mut origin, mut within) = (Origin::NONE, (None, TaskId::NONE));
        let stolen = seat.thief.steal_if(|position| {
            origin = seat.lineage.origin_at(self.index, position);
            within = seat.calls.at(position);
            true
        });
        let StealOutcome::Got(head) = stolen else {
            return None;
        };
        // SAFETY: every item of a deque was pushed by `fork` and leaves the deque once.
        let job = unsafe { Job::new(head) };
        let (call, task) = within;
        Some(job.within(call).of_task(task).forked_by(origin))
    }
}
