//! Putting a job where thieves can reach it.

use core::ptr::NonNull;

use filch_deque::Bottom;

use super::Worker;
use super::current::here;
use crate::scheduler::job::{Job, JobHead};
use crate::sleep::steps;

/// Puts a job where thieves can reach it, and sees to it that somebody comes if others sleep.
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
    /// A fork for a child of a scope.
    pub(crate) fn fork_job(&self, job: Job) {
        fork(&self.deque, job.into_head());
    }

    /// Somebody looks for work, or sleeps and might want what was forked.
    pub(super) fn attend(&self) {
        let seat = self.seat();
        let publish = || self.deque.publish();
        let wake_one = || {
            self.wake_one();
        };
        steps::attend(
            &self.shared.sleep,
            seat.attention(),
            publish,
            wake_one,
            || self.wake_above(),
        );
    }

    /// Wakes an idle thread, or starts a spare one. False if there is none.
    pub(super) fn wake_one(&self) -> bool {
        let woken = self.shared.wake_one();
        self.seat().counters.wake_ups.add(u64::from(woken));
        woken
    }

    /// Leaves what there is to do to another thread, since this one is not active any more.
    pub(super) fn hand_over(&self) {
        let sleep = &self.shared.sleep;
        if !sleep.wants_one(sleep.counts()) {
            return;
        }
        let is_anything = self.seat().is_forking() || self.shared.is_anything_to_do(self.index);
        if is_anything && self.wake_one() {
            self.seat().counters.hand_overs.add(1);
        }
    }
}
