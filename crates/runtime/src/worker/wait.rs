//! Waiting for stolen children, and helping them without going deeper than the serial program.
//!
//! A worker that waits runs only work that is *below* what it waits for: its frames then lie on the
//! stack where the serial program would have put them, so no worker's stack grows past S1, and a
//! lock held across a join meets only the children of that join. The rule is Wagner and Calder's
//! leapfrogging (1993): help the one who stole from you. Three facts make it exact.
//!
//! 1. Thieves take the oldest job first. So if the newest job of a worker was stolen, all older ones
//!    were, and **a worker that begins to wait has an empty deque**.
//! 2. A worker that runs a stolen job publishes the latch that the job will set, as its *root*, and
//!    where its deque was when it began. What lies above that place in its deque was forked by the
//!    job, and is below the latch; a child that the job spawns into a scope further out does not go
//!    there, but into a queue ([`Scope`](crate::Scope)).
//! 3. [`steal_if`](filch_deque::Thief::steal_if) asks for root and place while the job is in the deque.
//!
//! One thing is run that is not below: the worker's share of a broadcast. Nobody else may run it, and who
//! waits for it may be below us. A share that belongs to a call has to be one that may interrupt what we
//! work for, as the [call](crate::call) itself would.
//!
//! Help goes further down: if the thief itself waits, for a job stolen from it, whoever runs that
//! job is below us too.

use core::cell::Cell;
use core::ptr::{self, NonNull};

use filch_deque::Place;

use super::{Seat, Worker};
use crate::call::Call;
use crate::job::Job;
use crate::latch::{Latch, Waiting};
use crate::queue::{Kind, Queued};
use crate::sleep::steps;
use crate::sync::Arc;
use crate::sync::atomic::Ordering;

/// What is done with a worker that runs something below: it is told which of its jobs are.
type Visit<'a, R> = dyn FnMut(&Seat, &dyn Fn(Place) -> bool) -> Option<R> + 'a;

/// How far down the chain of waiting workers help is sought.
const DEPTH: usize = 4;

impl Worker {
    /// Waits until `latch` is set, helping below it. What lies in the deque from `base` on is below
    /// the latch.
    #[cold]
    pub(super) fn wait_for(&self, latch: &Latch, base: Place) {
        if (0..self.shared.looks_before_helping()).any(|_| latch.is_set_soon()) {
            return;
        }
        let address = NonNull::from(latch).as_ptr();
        let above = self.seat().waits_for.swap(address, Ordering::AcqRel);
        let mut patience = self.shared.patience();
        let call = self.call();
        let may_serve = |queued: &Queued| is_share(queued, call.as_ref(), None);
        while !latch.is_set() {
            // What a helped job left in our deque is below the latch too, and perhaps needed for it.
            let below = || self.find_below(latch, |is_fenced| patience.may_force(is_fenced));
            let job = self.pop_from(base).or_else(below);
            match job {
                Some(job) => {
                    job.run(self);
                    patience = self.shared.patience();
                }
                None if self.serve_broadcast(may_serve) => patience = self.shared.patience(),
                None if patience.pause() => {}
                None => {
                    let stayed_up = self.sleep_below(latch, may_serve);
                    patience = self.shared.patience();
                    if stayed_up {
                        patience.lose();
                    }
                }
            }
        }
        self.seat().waits_for.store(above, Ordering::Release);
    }

    /// Waits for work that is not below this worker's frames: a call to another pool, or an independent
    /// job. Only calls from other pools are served meanwhile, and only those that do no harm.
    pub(crate) fn wait_outside(&self, latch: &Latch, call: Option<&Arc<Call>>) {
        self.shared.with_calls(|calls| {
            calls.push(Waiting::new(latch));
        });
        let around = self.call();
        let may_run = |queued: &Queued| {
            let theirs = queued.job.call.as_ref();
            queued.kind == Kind::Call
                && theirs.is_some_and(|theirs| theirs.may_interrupt(call, around.as_ref()))
        };
        let may_serve = |queued: &Queued| is_share(queued, call, around.as_ref());
        while !latch.is_set() {
            match self.find_queued(may_run) {
                Some(job) => self.run_on_top(job),
                None if self.serve_broadcast(may_serve) => {}
                None => self.sleep_outside(latch, may_run, may_serve),
            }
        }
        self.shared
            .with_calls(|calls| calls.retain(|waiting| !waiting.is_for(latch)));
    }

    fn sleep_outside(
        &self,
        latch: &Latch,
        may_run: impl Fn(&Queued) -> bool,
        may_serve: impl Fn(&Queued) -> bool,
    ) {
        self.shared.assert_not_forked();
        let parker = self.parker();
        let is_called = || self.is_queued(may_run) || self.seat().queue.any(may_serve);
        self.seat().bed.occupied(latch, || {
            let park = || self.seat().park_on(parker);
            steps::sleep_outside(latch, parker, is_called, park);
        });
    }

    /// Runs this worker's share of a broadcast, if there is one. Every worker has to run its own, and
    /// the one that broadcasts may be what this worker waits for.
    fn serve_broadcast(&self, may_serve: impl Fn(&Queued) -> bool) -> bool {
        let job = self.seat().queue.pop_if(may_serve);
        self.seat().counters.jobs.add(u64::from(job.is_some()));
        job.map(|job| self.run_on_top(job)).is_some()
    }

    /// Runs a job that is not below this worker's frames, and all that it leaves in the deque.
    pub(super) fn run_on_top(&self, job: Job) {
        self.rootless(|| {
            let base = self.deque.place();
            job.run(self);
            self.run_from(base);
        });
    }

    fn find_below(&self, latch: &Latch, mut may_force: impl FnMut(bool) -> bool) -> Option<Job> {
        let scope = ptr::from_ref(latch).addr();
        self.visit_below(latch, &|| true, DEPTH, &mut |seat, is_below| {
            self.steal_from(seat, &mut may_force, is_below)
        })
        .or_else(|| self.find_queued(|queued| queued.kind == Kind::Scope(scope)))
    }

    /// Whether there is something to help with, without taking it.
    fn is_work_below(&self, latch: &Latch) -> bool {
        let scope = ptr::from_ref(latch).addr();
        let stealable = self.visit_below(latch, &|| true, DEPTH, &mut |seat, is_below| {
            seat.thief.oldest().filter(|&oldest| is_below(oldest))
        });
        stealable.is_some() || self.is_queued(|queued| queued.kind == Kind::Scope(scope))
    }

    /// Calls `visit` for each worker that runs something below `latch`, with the condition that says
    /// which of its jobs are, until `visit` returns something.
    fn visit_below<R>(
        &self,
        latch: *const Latch,
        above: &dyn Fn() -> bool,
        depth: usize,
        visit: &mut Visit<'_, R>,
    ) -> Option<R> {
        self.others().find_map(|seat| {
            // Ordering: Acquire pairs with the Release store in `under`.
            let runs_below = || ptr::eq(seat.root.load(Ordering::Acquire), latch) && above();
            if !runs_below() {
                return None;
            }
            let found = visit(seat, &|place| seat.is_below(latch, place) && above());
            let next = seat.waits_for.load(Ordering::Acquire).cast_const();
            if found.is_some() || depth == 0 || next.is_null() {
                return found;
            }
            let still_waits =
                || ptr::eq(seat.waits_for.load(Ordering::Acquire), next) && runs_below();
            self.visit_below(next, &still_waits, depth - 1, visit)
        })
    }

    /// True if there was something to do, and nobody had to wake it for that.
    fn sleep_below(&self, latch: &Latch, may_serve: impl Fn(&Queued) -> bool) -> bool {
        self.shared.assert_not_forked();
        let parker = self.parker();
        let work = || self.is_work_below(latch) || self.seat().queue.any(&may_serve);
        let slept = Cell::new(false);
        let doze = || {
            slept.set(self.seat().doze_on(parker));
            slept.get()
        };
        let park = || {
            slept.set(true);
            self.seat().park_on(parker);
        };
        self.seat().bed.occupied(latch, || {
            steps::sleep_below(latch, parker, self.shared.everybody(), work, doze, park);
        });
        !slept.get()
    }

    /// The seats of the other workers.
    fn others(&self) -> impl Iterator<Item = &Seat> {
        let seats = self.shared.seats.iter().enumerate();
        seats
            .filter(|(index, _)| *index != self.index)
            .map(|(_, seat)| &**seat)
    }

    fn find_queued(&self, may: impl Fn(&Queued) -> bool) -> Option<Job> {
        self.shared
            .seats
            .iter()
            .find_map(|seat| seat.queue.pop_if(&may))
    }

    fn is_queued(&self, may: impl Fn(&Queued) -> bool) -> bool {
        self.shared.seats.iter().any(|seat| seat.queue.any(&may))
    }
}

/// Whether this is a share of a broadcast that may be run on top of a frame that waits for `awaited`, or
/// for something that is no call, within `around`. One that belongs to no call then becomes part of
/// what that frame works for.
fn is_share(queued: &Queued, awaited: Option<&Arc<Call>>, around: Option<&Arc<Call>>) -> bool {
    let may_interrupt = |theirs: &Arc<Call>| theirs.may_interrupt(awaited, around);
    queued.kind == Kind::Bound && queued.job.call.as_ref().is_none_or(may_interrupt)
}
