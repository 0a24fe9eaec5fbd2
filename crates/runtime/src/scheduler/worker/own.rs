//! What lies in the worker's own deque.

use filch_deque::Position;

use super::Worker;
use crate::scheduler::job::Job;

impl Worker {
    /// The newest job of the own deque.
    pub(super) fn pop(&self) -> Option<Job> {
        // SAFETY: what comes out of a deque was put in by `fork`, and comes out once.
        self.deque.pop().map(|head| unsafe { Job::new(head) })
    }

    /// The newest job of the own deque, if it was pushed since the deque was at `base`.
    pub(super) fn pop_from(&self, base: Position) -> Option<Job> {
        if self.deque.is_above(base) {
            self.pop()
        } else {
            None
        }
    }

    /// The place in the deque from which a scope's children are counted.
    pub(crate) fn position(&self) -> Position {
        self.deque.position()
    }

    /// Runs what was left in the deque since it was at `base`.
    pub(crate) fn run_from(&self, base: Position) {
        while let Some(job) = self.pop_from(base) {
            job.run(self);
        }
    }
}
