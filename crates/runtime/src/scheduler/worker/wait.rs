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
//!    which job forked it. So any worker can tell whether a job in a deque is below a given latch,
//!    through any number of steals ([`lineage`](super::lineage)). A child that a job spawns into an
//!    outer scope does not go into the deque, but into a queue ([`Scope`](crate::Scope)).
//! 3. [`steal_if`](filch_deque::Thief::steal_if) evaluates that condition while the job is in the
//!    deque.
//!
//! What the waiter may not run is for other threads, and its processor with it: when it falls
//! asleep, it [hands over](super::hand_over).
//!
//! One job is run that is not below: the worker's share of a broadcast. No other worker may run it,
//! and the broadcaster, which waits for it, may be below us. A share that belongs to a call must be
//! one that may interrupt what we run, as the [call](crate::scheduler::call) itself must.

use filch_deque::Position;

use super::Worker;
use super::hand_over::{WaiterSearch, Woken};
use crate::latch::Latch;
use crate::scheduler::call::Call;
use crate::scheduler::job::Job;
use crate::scheduler::needs::{Awaited, TaskId};
use crate::scheduler::record;
use crate::sync::Arc;

impl Worker {
    /// Waits until the `latch` of a join is set, and helps below it meanwhile. What lies in the
    /// deque above `base` is below the latch.
    #[cold]
    pub(super) fn wait_for(&self, latch: &Latch, base: Position) {
        let _waits = record::OnTop::begin();
        self.wait_below(latch, base, false);
    }

    fn wait_below(&self, latch: &Latch, base: Position, is_scope: bool) {
        self.without_unwinding(|| self.wait_and_help(latch, base, is_scope));
    }

    fn wait_and_help(&self, latch: &Latch, base: Position, is_scope: bool) {
        if (0..self.shared.spins_before_helping()).any(|_| latch.is_set_after_spin()) {
            return;
        }
        let below = self.below(latch, is_scope);
        let mut backoff = self.shared.waiter_backoff();
        let mut search = WaiterSearch::of(self);
        let call = self.call();
        let may_serve = |job: &Job| may_serve(job, Awaited::Nothing, call.as_ref());
        while !latch.is_set() {
            // If more threads are active than there are workers, this one leaves its processor to
            // the waiter that was just woken: often it has set the latch of that waiter itself.
            let is_crowded = self.shared.sleep.is_crowded();
            let mut may_force = |is_fenced| backoff.may_force(is_fenced);
            let find = || (!is_crowded).then(|| self.find_below(below, &mut may_force))?;
            // What a helped job left in our deque is below the latch too, and the latch may depend
            // on it.
            let job = self.pop_from(base).or_else(find);
            match job {
                Some(job) => {
                    search.end();
                    job.run(self);
                    backoff = self.shared.waiter_backoff();
                }
                None if self.serve_broadcast(&mut search, may_serve) => {
                    backoff = self.shared.waiter_backoff();
                }
                None if !is_crowded && backoff.pause() => {}
                None if self.run_anything(&mut search) => {
                    backoff = self.shared.waiter_backoff();
                }
                None => {
                    let has_work = |is_full: bool| {
                        let helps = !is_full && self.is_work_below(below);
                        helps || self.seat().queue.has_share(may_serve) || self.is_anything_to_run()
                    };
                    let woken = self.sleep_waiting(latch, &mut search, has_work);
                    backoff = self.shared.waiter_backoff();
                    match woken {
                        Woken::ByAnother => {}
                        Woken::AtOnce => backoff.allow_force(),
                        Woken::ByStall => self.end_stall(&mut search),
                    }
                }
            }
        }
    }

    /// Waits for the end of a scope that was opened when the deque was at `base`.
    pub(crate) fn finish_scope(&self, latch: &Latch, base: Position) {
        while !latch.is_set() {
            match self.pop_from(base) {
                Some(job) => job.run(self),
                None => self.wait_below(latch, base, true),
            }
        }
    }

    /// Runs this worker's share of a broadcast, if there is one. Only this worker may run it, and
    /// the broadcaster may be what this worker waits for.
    pub(super) fn serve_broadcast(
        &self,
        search: &mut WaiterSearch<'_>,
        may_serve: impl Fn(&Job) -> bool,
    ) -> bool {
        let Some(job) = self.seat().queue.pop_share(may_serve) else {
            return false;
        };
        self.seat().counters.jobs.add(1);
        search.end();
        self.run_on_top(job);
        true
    }

    /// Runs any job, in a pool where no other thread could come in this worker's place. In a pool
    /// that hands over only [`end_stall`](Self::end_stall) does that.
    pub(super) fn run_anything(&self, search: &mut WaiterSearch<'_>) -> bool {
        if !self.shared.order.waiters_run_anything() {
            return false;
        }
        self.run_any_job(search)
    }

    /// Runs any job, since no other thread could come: if a thread is blocked in code of the user,
    /// it may be what all others depend on.
    pub(super) fn end_stall(&self, search: &mut WaiterSearch<'_>) {
        // It may have been taken meanwhile.
        let _ran = self.run_any_job(search);
    }

    fn run_any_job(&self, search: &mut WaiterSearch<'_>) -> bool {
        let Some(job) = self.next_own().or_else(|| self.steal_round(|_| true)) else {
            return false;
        };
        search.end();
        self.run_on_top(job);
        true
    }

    /// Whether [`run_anything`](Self::run_anything) would find a job.
    pub(super) fn is_anything_to_run(&self) -> bool {
        self.shared.order.waiters_run_anything()
            && (self.has_pending() || self.shared.has_work_for(self.index))
    }

    /// Runs a job that is not below this worker's frames, and all that it leaves in the deque.
    pub(super) fn run_on_top(&self, job: Job) {
        self.without_root(|| {
            let base = self.deque.position();
            // It belongs to another task than these frames, or to none.
            self.within(None, TaskId::NONE, || {
                job.run(self);
                self.run_from(base);
            });
        });
    }
}

/// Whether a job that came from another pool, or a share of a broadcast, may run on top of a frame
/// that waits for `awaited` within the call `around`. A share that belongs to no call always may:
/// it runs as a part of the call for which that frame runs, if there is one.
pub(super) fn may_serve(job: &Job, awaited: Awaited<'_>, around: Option<&Arc<Call>>) -> bool {
    let mut calls = job.call.iter();
    calls.all(|theirs| theirs.may_be_served(awaited, around))
}
