//! The worker's own deque.

use filch_deque::Position;

use super::Worker;
use crate::scheduler::job::Job;

impl Worker {
    /// Pops the newest job.
    #[inline]
    pub(super) fn pop(&self) -> Option<Job> {
        // SAFETY: every item of a deque was pushed by `fork` and leaves the deque once.
        self.deque.pop().map(|head| unsafe { Job::new(head) })
    }

    /// Pops the newest job if it was pushed after the deque was at `base`.
    #[inline]
    pub(super) fn pop_from(&self, base: Position) -> Option<Job> {
        if self.deque.is_above(base) {
            self.pop()
        } else {
            None
        }
    }

    /// The position of the newest job. What is pushed from now on lies above it.
    pub(crate) fn position(&self) -> Position {
        self.deque.position()
    }

    /// Runs the jobs that were pushed after the deque was at `base`.
    pub(crate) fn run_from(&self, base: Position) {
        while self.deque.is_above(base) {
            let Some(head) = self.deque.pop() else {
                break;
            };
            // SAFETY: as in `pop`.
            unsafe { Job::run_own(head, self) };
        }
    }
}
