//! Forking: pushing a job where thieves can reach it.

use core::ptr::NonNull;

use filch_deque::Bottom;

use super::Worker;
use super::current::here;
use crate::scheduler::job::{Job, JobHead};
use crate::sleep::steps;

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
        let wake_above = || self.wake_above();
        let wake_one = || {
            self.wake_one();
        };
        steps::attend(
            &self.shared.sleep,
            seat.attention(),
            publish,
            wake_above,
            wake_one,
        );
    }

    /// Wakes a sleeping idle thread, or starts a spare one. False if there is none.
    pub(super) fn wake_one(&self) -> bool {
        let woken = self.shared.wake_one();
        self.seat().counters.wake_ups.add(u64::from(woken));
        woken
    }
}
