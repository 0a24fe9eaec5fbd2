//! Finding work below a latch.

use core::ptr;

use filch_deque::Position;

use super::{Seat, Worker};
use crate::latch::Latch;
use crate::scheduler::job::Job;
use crate::scheduler::queue::{JobKind, Queued};
use crate::sync::atomic::Ordering;

/// Visits a worker that runs something below a latch. The second argument tells which of its jobs
/// are.
type Visit<'a, R> = dyn FnMut(&Seat, &dyn Fn(Position) -> bool) -> Option<R> + 'a;

/// How many links of the chain of waiting workers are followed.
const DEPTH: usize = 4;

impl Worker {
    pub(super) fn find_below(
        &self,
        latch: &Latch,
        mut may_force: impl FnMut(bool) -> bool,
    ) -> Option<Job> {
        let scope = ptr::from_ref(latch).addr();
        self.visit_below(latch, &|| true, DEPTH, &mut |seat, is_below| {
            self.steal_from(seat, &mut may_force, is_below)
        })
        .or_else(|| self.find_queued(|queued| queued.kind == JobKind::Scope(scope)))
    }

    /// Whether `find_below` would find a job.
    pub(super) fn is_work_below(&self, latch: &Latch) -> bool {
        let scope = ptr::from_ref(latch).addr();
        let stealable = self.visit_below(latch, &|| true, DEPTH, &mut |seat, is_below| {
            seat.thief.oldest().filter(|&oldest| is_below(oldest))
        });
        stealable.is_some() || self.is_queued(|queued| queued.kind == JobKind::Scope(scope))
    }

    /// Calls `visit` for each worker that runs something below `latch`, with the condition that
    /// holds for its jobs below, until `visit` returns something.
    fn visit_below<R>(
        &self,
        latch: *const Latch,
        above: &dyn Fn() -> bool,
        depth: usize,
        visit: &mut Visit<'_, R>,
    ) -> Option<R> {
        self.others().find_map(|seat| {
            // Ordering: Acquire pairs with the Release store in `with_root`.
            let runs_below = || ptr::eq(seat.root.load(Ordering::Acquire), latch) && above();
            if !runs_below() {
                return None;
            }
            let found = visit(seat, &|position| seat.is_below(latch, position) && above());
            let next = seat.waits_for.load(Ordering::Acquire).cast_const();
            if found.is_some() || depth == 0 || next.is_null() {
                return found;
            }
            let still_waits =
                || ptr::eq(seat.waits_for.load(Ordering::Acquire), next) && runs_below();
            self.visit_below(next, &still_waits, depth - 1, visit)
        })
    }

    /// The seats of the other workers.
    fn others(&self) -> impl Iterator<Item = &Seat> {
        let seats = self.shared.seats.iter().enumerate();
        seats
            .filter(|(index, _)| *index != self.index)
            .map(|(_, seat)| &**seat)
    }

    pub(super) fn find_queued(&self, may: impl Fn(&Queued) -> bool) -> Option<Job> {
        self.shared
            .seats
            .iter()
            .find_map(|seat| seat.queue.pop_if(&may))
    }

    pub(super) fn is_queued(&self, may: impl Fn(&Queued) -> bool) -> bool {
        self.shared.seats.iter().any(|seat| seat.queue.any(&may))
    }
}
