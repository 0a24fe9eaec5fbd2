//! Stealing: forked jobs from deques, and independent jobs from queues.

use core::cell::Cell;

use filch_deque::{Position, StealOutcome};
use filch_policy::steal::Victim;

use super::{Seat, Worker};
use crate::scheduler::job::Job;
use crate::scheduler::pool::JobOrder;
use crate::scheduler::queue::Queue;
use crate::sync::atomic::Ordering;
use crate::sync::spin_loop;

/// How often a thief retries after its request: some hundred nanoseconds in all, several times what
/// a victim that forks takes to reply.
const REPLY_SPINS: u32 = 20;

impl Worker {
    /// One round of attempts: as many victims as there are other workers, chosen uniformly at
    /// random. `may_force` is told whether the item is fenced.
    pub(super) fn steal_round(&self, mut may_force: impl FnMut(bool) -> bool) -> Option<Job> {
        match self.shared.order {
            JobOrder::Requests => self.visit(|victim| {
                self.steal_from(victim, &mut may_force, |_| true)
                    .or_else(|| self.request_jobs(&self.shared.seats[victim]))
            }),
            // A job that was spawned before the fork is seen when the fork is: it was counted
            // before the fork was pushed, or has been taken by a worker that runs it.
            JobOrder::BeforeForks => self
                .take_spawned_job()
                .or_else(|| {
                    let condition = |_| !self.shared.has_spawned_jobs();
                    self.visit(|victim| self.steal_from(victim, &mut may_force, condition))
                })
                .or_else(|| self.take_job()),
            JobOrder::AmongForks => self
                .visit(|victim| self.steal_from(victim, &mut may_force, |_| true))
                .or_else(|| self.take_job()),
        }
    }

    /// Visits as many victims as there are other workers, until one gives a job.
    fn visit(&self, mut steal: impl FnMut(usize) -> Option<Job>) -> Option<Job> {
        let workers = self.shared.seats.len();
        (1..workers).find_map(|_| {
            let victim =
                Victim::UniformOther.choose(self.index, workers, &mut *self.rng.borrow_mut())?;
            steal(victim)
        })
    }

    /// Takes the oldest job that some worker has spawned.
    fn take_spawned_job(&self) -> Option<Job> {
        (self.shared.has_spawned_jobs()).then(|| self.take_job())?
    }

    /// Takes the oldest job of a queue: a job that a worker has spawned, or else one from outside.
    fn take_job(&self) -> Option<Job> {
        if !self.shared.has_spawned_jobs() && self.shared.injector.is_empty() {
            return None;
        }
        let job = self.moving_jobs(|| {
            let mut queues = self.shared.queues_from(self.queue_index());
            queues.find_map(Queue::pop_shared)
        });
        self.seat().counters.jobs.add(u64::from(job.is_some()));
        job
    }

    /// A request of BFG03: a processor without work asks another one and gets f(l) of its l jobs.
    fn request_jobs(&self, victim: &Seat) -> Option<Job> {
        if victim.queue.is_empty() {
            return None;
        }
        self.moving_jobs(|| self.take_jobs_of(victim))
    }

    /// Calls `take`, which takes jobs out of queues of others and returns one of them.
    fn moving_jobs(&self, take: impl FnOnce() -> Option<Job>) -> Option<Job> {
        let own = self.seat();
        // Jobs in transit are in no queue, and a pool that closes must not take this worker for one
        // without work.
        // Ordering: published by the new length of the victim's queue.
        own.taking_jobs.store(true, Ordering::Relaxed);
        self.shared.count_a_move();
        let job = take();
        if job.is_some() {
            own.busy.store(true, Ordering::Relaxed);
        }
        // Ordering: Release, so that a thread that sees the flag cleared sees this worker busy.
        own.taking_jobs.store(false, Ordering::Release);
        job
    }

    fn take_jobs_of(&self, victim: &Seat) -> Option<Job> {
        let own = self.seat();
        if self.is_spare() {
            let job = self.take_one_job_of(victim);
            own.counters.jobs.add(u64::from(job.is_some()));
            return job;
        }
        let most = if self.shared.keeps_order {
            self.pace.most_jobs()
        } else {
            usize::MAX
        };
        let amount = |queued| self.shared.jobs_to_take(victim, queued).min(most);
        let moved = victim.queue.give(&own.queue, amount);
        if moved == 0 {
            // Calls and children of scopes are taken one at a time.
            let job = victim.queue.pop_lone();
            own.counters.jobs.add(u64::from(job.is_some()));
            return job;
        }
        own.counters.job_steals.add(1);
        own.counters.jobs_moved.add(moved as u64);
        self.next_queued()
    }

    /// A spare thread has no queue: it may sleep after any job, and jobs in its queue would wait.
    fn take_one_job_of(&self, victim: &Seat) -> Option<Job> {
        if self.shared.gives_jobs(victim) {
            victim.queue.pop_shared()
        } else {
            victim.queue.pop_lone()
        }
    }

    /// Steals the oldest job of `victim`, if `condition` holds while the job is in the deque. A
    /// public job is taken. For a hidden one the thief raises the victim's attention, and forces
    /// the steal if the victim does not reply and `may_force` allows it.
    pub(super) fn steal_from(
        &self,
        victim: usize,
        mut may_force: impl FnMut(bool) -> bool,
        condition: impl Fn(Position) -> bool,
    ) -> Option<Job> {
        let (index, victim) = (victim, &self.shared.seats[victim]);
        let at = Cell::new(None);
        let condition = |position| {
            at.set(Some(position));
            condition(position)
        };
        let mut stolen = victim.thief.steal_if(condition);
        if matches!(stolen, StealOutcome::Empty | StealOutcome::Hidden) {
            victim.attention().raise();
        }
        for _ in 0..REPLY_SPINS {
            if !matches!(stolen, StealOutcome::Hidden | StealOutcome::Lost) {
                break;
            }
            spin_loop();
            stolen = victim.thief.steal_if(condition);
        }
        if stolen == StealOutcome::Hidden && may_force(victim.thief.is_fenced()) {
            stolen = self
                .shared
                .force_steal(|| victim.thief.force_steal_if(condition));
        }
        let counters = &self.seat().counters;
        counters.attempts.add(1);
        let StealOutcome::Got(head) = stolen else {
            return None;
        };
        counters.steals.add(1);
        let position = at.get()?;
        // SAFETY: every item of a deque was pushed by `fork` and leaves the deque once.
        let job = unsafe { Job::new(head) };
        // The frame that forked the job waits for it, so its call and its origin last.
        let origin = victim.lineage.origin_at(index, position);
        let (call, task) = victim.calls.at(position);
        Some(job.within(call).of_task(task).forked_by(origin))
    }
}
