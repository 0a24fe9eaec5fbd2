//! Finding work below a latch.

use core::ptr;

use filch_deque::Place;

use super::lineage::{self, Origin};
use super::{Seat, Worker};
use crate::latch::Latch;
use crate::scheduler::job::Job;
use crate::scheduler::queue::{Kind, Queued};

/// What a waiting worker may run: the descendants of one generation's job that will set the latch.
#[derive(Clone, Copy)]
pub(super) struct Below<'latch> {
    latch: &'latch Latch,
    generation: usize,
}

impl Worker {
    /// What is below `latch`, which a child of the job that this worker runs will set.
    pub(super) fn what_is_below<'latch>(&self, latch: &'latch Latch) -> Below<'latch> {
        let generation = lineage::generation(self.origin(), &self.shared.seats) + 1;
        Below { latch, generation }
    }

    pub(super) fn find_below(
        &self,
        below: Below<'_>,
        mut may_force: impl FnMut(bool) -> bool,
    ) -> Option<Job> {
        let forked = self.others().find_map(|(index, seat)| {
            // A victim whose oldest job is not below is not asked: it would publish that in vain.
            let condition = |place| self.is_job_below(index, seat, place, below);
            if !seat.thief.oldest().is_some_and(condition) {
                return None;
            }
            self.steal_from(index, &mut may_force, condition)
        });
        forked.or_else(|| self.find_queued(|queued| queued.kind == below.kind()))
    }

    /// Whether there is something to help with, without taking it.
    pub(super) fn is_work_below(&self, below: Below<'_>) -> bool {
        let is_forked = self.others().any(|(index, seat)| {
            let condition = |place| self.is_job_below(index, seat, place, below);
            seat.thief.oldest().is_some_and(condition)
        });
        is_forked || self.is_queued(|queued| queued.kind == below.kind())
    }

    fn is_job_below(&self, index: usize, seat: &Seat, place: Place, below: Below<'_>) -> bool {
        self.is_below_origin(seat.lineage.origin_at(index, place), below)
    }

    fn is_below_origin(&self, origin: Origin, below: Below<'_>) -> bool {
        lineage::is_below(origin, below.latch, below.generation, &self.shared.seats)
    }

    /// The seats of the other workers.
    fn others(&self) -> impl Iterator<Item = (usize, &Seat)> {
        let seats = self.shared.seats.iter().enumerate();
        seats.filter(|(index, _)| *index != self.index)
    }

    pub(super) fn find_queued(&self, may: impl Fn(&Queued) -> bool) -> Option<Job> {
        let mut seats = self.shared.seats.iter();
        seats.find_map(|seat| seat.queue.pop_if(&may))
    }

    pub(super) fn is_queued(&self, may: impl Fn(&Queued) -> bool) -> bool {
        let mut seats = self.shared.seats.iter();
        seats.any(|seat| seat.queue.any(&may))
    }
}

impl Below<'_> {
    /// A child of the scope whose latch it is, in a queue.
    fn kind(self) -> Kind {
        Kind::Scope(ptr::from_ref(self.latch).addr())
    }
}
