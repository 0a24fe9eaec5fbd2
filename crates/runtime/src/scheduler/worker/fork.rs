//! Forking: pushing a job where thieves can reach it.

use core::ptr::NonNull;

use filch_deque::Bottom;

use super::Worker;
use super::current::here;
use crate::scheduler::job::{Job, JobHead};
use crate::sleep::steps;
use crate::sync::atomic::Ordering;

/// Pushes a job, and attends if attention is raised.
#[inline]
pub(super) fn fork(deque: &Bottom<JobHead>, job: NonNull<JobHead>) {
    #[cold]
    fn attend() {
        here().attend();
    }
    if deque.push(job) {
        attend();
    }
}

impl Worker {
    /// Forks a child of a scope.
    pub(crate) fn fork_job(&self, job: Job) {
        fork(&self.deque, job.into_head());
    }

    /// Answers raised attention: publishes the oldest job for thieves, and wakes a worker that
    /// sleeps and may run what was forked.
    pub(super) fn attend(&self) {
        let seat = self.seat();
        let publish = || self.deque.publish();
        let wake_one = || self.wake_one();
        let root = || {
            // Ordering: only this worker writes its root.
            let root = seat.root.load(Ordering::Relaxed);
            // SAFETY: we run a child of that latch, which is not set before the child ends.
            unsafe { root.as_ref() }
        };
        steps::attend(
            &self.shared.sleep,
            seat.attention(),
            publish,
            wake_one,
            root,
        );
    }

    /// Wakes a sleeping idle worker, if there is one.
    pub(crate) fn wake_one(&self) {
        if self.shared.wake_any() {
            self.seat().counters.wake_ups.add(1);
        }
    }
}
