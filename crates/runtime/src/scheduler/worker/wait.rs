//! Waiting for stolen children, and helping them without going deeper than the serial program.
//!
//! A waiting worker runs only work that is *below* its latch. Its frames then lie on the stack
//! where the serial program would have put them, so no worker's stack grows past S1, and a lock
//! held across a join meets only the children of that join. The rule is Wagner and Calder's
//! leapfrogging (1993): help the thief that stole from you. Three facts make it exact.
//!
//! 1. Thieves take the oldest job first. If the newest job of a worker was stolen, all older ones
//!    were too. So **a worker that begins to wait has an empty deque**.
//! 2. A worker that runs a stolen job publishes the latch that the job will set, as its *root*, and
//!    the position of its deque when the job began. What lies above that position was forked by the
//!    job and is below the latch. A child that the job spawns into an outer scope does not go
//!    there, but into a queue ([`Scope`](crate::Scope)).
//! 3. [`steal_if`](filch_deque::Thief::steal_if) checks root and position while the job is in the
//!    deque.
//!
//! Help goes further down: if the thief itself waits, for a job that was stolen from it, the worker
//! that runs that job is below us too.
//!
//! One job is run that is not below: the worker's share of a broadcast. No other worker may run it,
//! and the broadcaster, which waits for it, may be below us. A share that belongs to a call must be
//! one that may interrupt what we run, as the [call](crate::scheduler::call) itself must.

use core::cell::Cell;
use core::ptr::NonNull;

use filch_deque::Position;

use super::Worker;
use crate::latch::Latch;
use crate::scheduler::call::Call;
use crate::scheduler::job::Job;
use crate::scheduler::queue::{JobKind, Queued};
use crate::sleep::steps;
use crate::sync::Arc;
use crate::sync::atomic::Ordering;

impl Worker {
    /// Waits until `latch` is set, and helps below it meanwhile. What lies in the deque above
    /// `base` is below the latch.
    #[cold]
    pub(super) fn wait_for(&self, latch: &Latch, base: Position) {
        if (0..self.shared.spins_before_helping()).any(|_| latch.is_set_after_spin()) {
            return;
        }
        let address = NonNull::from(latch).as_ptr();
        let above = self.seat().waits_for.swap(address, Ordering::AcqRel);
        let mut backoff = self.shared.backoff();
        let call = self.call();
        let may_serve = |queued: &Queued| is_share(queued, call.as_ref(), None);
        while !latch.is_set() {
            // What a helped job left in our deque is below the latch too, and the latch may depend
            // on it.
            let below = || self.find_below(latch, |is_fenced| backoff.may_force(is_fenced));
            let job = self.pop_from(base).or_else(below);
            match job {
                Some(job) => {
                    job.run(self);
                    backoff = self.shared.backoff();
                }
                None if self.serve_broadcast(may_serve) => backoff = self.shared.backoff(),
                None if backoff.pause() => {}
                None => {
                    let stayed_awake = self.sleep_below(latch, may_serve);
                    backoff = self.shared.backoff();
                    if stayed_awake {
                        backoff.allow_force();
                    }
                }
            }
        }
        self.seat().waits_for.store(above, Ordering::Release);
    }

    /// Waits for the end of a scope that was opened when the deque was at `base`.
    pub(crate) fn finish_scope(&self, latch: &Latch, base: Position) {
        while !latch.is_set() {
            match self.pop_from(base) {
                Some(job) => job.run(self),
                None => self.wait_for(latch, base),
            }
        }
    }

    /// Runs this worker's share of a broadcast, if there is one. Only this worker may run it, and
    /// the broadcaster may be what this worker waits for.
    pub(super) fn serve_broadcast(&self, may_serve: impl Fn(&Queued) -> bool) -> bool {
        let job = self.seat().queue.pop_if(may_serve);
        self.seat().counters.jobs.add(u64::from(job.is_some()));
        job.map(|job| self.run_on_top(job)).is_some()
    }

    /// Runs a job that is not below this worker's frames, and all that it leaves in the deque.
    pub(super) fn run_on_top(&self, job: Job) {
        self.without_root(|| {
            let base = self.deque.position();
            job.run(self);
            self.run_from(base);
        });
    }

    /// Sleeps until the latch is set or there is work below it. True if the worker found work
    /// before it slept.
    fn sleep_below(&self, latch: &Latch, may_serve: impl Fn(&Queued) -> bool) -> bool {
        self.shared.assert_same_process();
        let parker = self.parker();
        let work = || self.is_work_below(latch) || self.seat().queue.any(&may_serve);
        let slept = Cell::new(false);
        let timed_park = || {
            slept.set(self.seat().park_timeout_on(parker));
            slept.get()
        };
        let park = || {
            slept.set(true);
            self.seat().park_on(parker);
        };
        self.seat().sleep_slot.while_asleep_on(latch, || {
            steps::sleep_below(
                latch,
                parker,
                self.shared.attentions(),
                work,
                timed_park,
                park,
            );
        });
        !slept.get()
    }
}

/// Whether this is a share of a broadcast that may run on top of a frame that waits for `awaited`
/// (`None` if that is no call) within `around`. A share that belongs to no call becomes a part of
/// what that frame runs for.
pub(super) fn is_share(
    queued: &Queued,
    awaited: Option<&Arc<Call>>,
    around: Option<&Arc<Call>>,
) -> bool {
    let may_interrupt = |theirs: &Arc<Call>| theirs.may_interrupt(awaited, around);
    queued.kind == JobKind::Broadcast && queued.job.call.as_ref().is_none_or(may_interrupt)
}
