//! Finding work below a latch.

use core::ptr;

use filch_deque::Position;

use super::{Seat, Worker, lineage};
use crate::latch::Latch;
use crate::scheduler::job::Job;

/// What a waiting worker may run: the descendants of the jobs that will set its latch. These jobs
/// are one generation below the waiting frame.
#[derive(Clone, Copy)]
pub(super) struct Below<'latch> {
    latch: &'latch Latch,
    generation: usize,
}

impl Worker {
    /// What is below `latch`, for which the current frame waits.
    pub(super) fn below<'latch>(&self, latch: &'latch Latch) -> Below<'latch> {
        let generation = self.generation() + 1;
        Below { latch, generation }
    }

    pub(super) fn find_below(
        &self,
        below: Below<'_>,
        mut may_force: impl FnMut(bool) -> bool,
    ) -> Option<Job> {
        let forked = self.others().find_map(|(victim, seat)| {
            let is_below = |position| self.is_job_below(victim, seat, position, below);
            // A victim whose oldest job is not below is left alone: it would publish in vain.
            seat.thief.oldest().filter(|&oldest| is_below(oldest))?;
            self.steal_from(victim, &mut may_force, is_below)
        });
        let mut seats = self.shared.seats.iter();
        forked.or_else(|| seats.find_map(|seat| seat.queue.pop_child(below.scope())))
    }

    /// Whether `find_below` would find a job.
    pub(super) fn is_work_below(&self, below: Below<'_>) -> bool {
        let is_forked = self.others().any(|(victim, seat)| {
            let oldest = seat.thief.oldest();
            oldest.is_some_and(|position| self.is_job_below(victim, seat, position, below))
        });
        let mut seats = self.shared.seats.iter();
        is_forked || seats.any(|seat| seat.queue.has_child(below.scope()))
    }

    /// Whether the job at `position` of the deque of `victim` is below.
    fn is_job_below(
        &self,
        victim: usize,
        seat: &Seat,
        position: Position,
        below: Below<'_>,
    ) -> bool {
        let origin = seat.lineage.origin_at(victim, position);
        lineage::is_below(origin, below.latch, below.generation, &self.shared.seats)
    }

    /// The seats of the other threads, with their indices.
    fn others(&self) -> impl Iterator<Item = (usize, &Seat)> {
        let seats = self.shared.seats.iter().enumerate();
        seats.filter(|(index, _)| *index != self.index)
    }
}

impl Below<'_> {
    /// By what a queued child of the scope that has the latch is known.
    fn scope(self) -> usize {
        ptr::from_ref(self.latch).addr()
    }
}
