//! Finding work below a latch.

use core::ptr;

use filch_deque::Position;

use super::{Seat, Worker, lineage};
use crate::latch::Latch;
use crate::scheduler::job::Job;
use crate::scheduler::pool::JobOrder;
use crate::scheduler::queue::Queue;

/// What a waiting worker may run: the descendants of the jobs that will set its latch. These jobs
/// are one generation below the waiting frame.
#[derive(Clone, Copy)]
pub(super) struct Below<'latch> {
    latch: &'latch Latch,
    generation: usize,
    /// Whether it is the latch of a scope. Children of a scope may be in queues too.
    is_scope: bool,
}

impl Worker {
    /// What is below `latch`, for which the current frame waits.
    pub(super) fn below<'latch>(&self, latch: &'latch Latch, is_scope: bool) -> Below<'latch> {
        let generation = self.generation() + 1;
        Below {
            latch,
            generation,
            is_scope,
        }
    }

    pub(super) fn find_below(
        &self,
        below: Below<'_>,
        mut may_force: impl FnMut(bool) -> bool,
    ) -> Option<Job> {
        // A child in a queue has no owner that would come to it, and is larger than a fork, as a
        // rule.
        let find_queued = || self.find_queued(|queue| queue.pop_child(below.scope()));
        if let Some(child) = below.is_scope.then(find_queued).flatten() {
            return Some(child);
        }
        self.others().find_map(|(victim, seat)| {
            let is_below = |position| {
                !self.is_job_first(victim) && self.is_job_below(victim, seat, position, below)
            };
            // A victim whose oldest job is not below is left alone: it would publish in vain.
            seat.thief.oldest().filter(|&oldest| is_below(oldest))?;
            self.steal_from(victim, &mut may_force, is_below)
        })
    }

    /// Whether `find_below` would find a job.
    pub(super) fn is_work_below(&self, below: Below<'_>) -> bool {
        let is_forked = self.others().any(|(victim, seat)| {
            let oldest = seat.thief.oldest();
            let is_below = |position| self.is_job_below(victim, seat, position, below);
            oldest.is_some_and(is_below) && !self.is_job_first(victim)
        });
        is_forked || below.is_scope && self.is_queued(|queue| queue.has_child(below.scope()))
    }

    /// Whether `victim` has spawned a job that comes before its forks, and this worker, which may
    /// not run it, can hand over to a thread that may.
    fn is_job_first(&self, victim: usize) -> bool {
        let queue = &self.shared.seats[victim % self.shared.workers()].queue;
        self.shared.order == JobOrder::BeforeForks
            && !queue.is_empty()
            && self.shared.sleep.can_hand_over()
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

    pub(super) fn find_queued(&self, pop: impl Fn(&Queue) -> Option<Job>) -> Option<Job> {
        self.shared.queues_from(0).find_map(pop)
    }

    pub(super) fn is_queued(&self, has: impl Fn(&Queue) -> bool) -> bool {
        self.shared.queues_from(0).any(has)
    }
}

impl Below<'_> {
    /// By what a queued child of the scope that has the latch is known.
    fn scope(self) -> usize {
        ptr::from_ref(self.latch).addr()
    }
}
