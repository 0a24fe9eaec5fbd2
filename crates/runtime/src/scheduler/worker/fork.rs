//! Forking: pushing a job where thieves can reach it.

use core::mem::MaybeUninit;
use core::ptr::NonNull;

use filch_deque::{Bottom, Fork};

use super::Worker;
use super::current::here;
use crate::scheduler::job::{Job, JobHead};
use crate::scheduler::pool::Comes;
use crate::scheduler::record;
use crate::sleep::steps;

/// Forks a job that is taken back by what is written to `forked`, and attends if attention is
/// raised.
#[inline(always)]
pub(super) fn fork(deque: &Bottom<JobHead>, forked: &mut MaybeUninit<Fork>, job: NonNull<JobHead>) {
    if deque.fork_into(forked, job) {
        attend();
    }
}

#[cold]
#[inline(never)]
fn attend() {
    here().attend();
}

impl Worker {
    /// Forks a child of a scope.
    #[inline]
    pub(crate) fn fork_job(&self, job: Job) {
        if self.deque.push(job.into_head()) {
            self.attend();
        }
    }

    /// Answers raised attention: publishes the oldest job for thieves, and wakes a worker that
    /// sleeps and may run what was forked.
    pub(super) fn attend(&self) {
        // It is no part of what the task does: a replay has a price for wake-ups.
        let _apart = record::OnTop::begin();
        let seat = self.seat();
        let publish = || self.deque.publish();
        let wake_above = || self.wake_above();
        let wake_one = || {
            self.wake_one(Comes::Beside);
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
    pub(super) fn wake_one(&self, comes: Comes) -> bool {
        let woken = self.shared.wake_one(comes);
        self.seat().counters.wake_ups.add(u64::from(woken));
        woken
    }
}
