//! The worker's loop: run what is here, otherwise search, otherwise sleep.

use std::time::{Duration, Instant};

use filch_policy::steal::{Steal as _, Victim};

use super::{Seat, Worker};
use crate::job::Job;
use crate::pool::Patience;
use crate::sleep::steps;
use crate::sync::atomic::Ordering;
use crate::sync::spin_loop;

impl Worker {
    /// Works until the pool is closed and everything that it accepted has been done.
    pub(crate) fn work(&self) {
        self.show();
        self.seat().busy.store(false, Ordering::Relaxed);
        loop {
            self.work_here();
            match self.search() {
                Some(job) => self.run(job),
                None => return,
            }
        }
    }

    /// Does what lies in the own deque and queue.
    pub(crate) fn work_here(&self) {
        while let Some(job) = self.next_here() {
            self.run(job);
        }
    }

    fn run(&self, job: Job) {
        let busy = &self.seat().busy;
        busy.store(true, Ordering::Relaxed);
        job.run(self);
        // Everything below a stolen job has been run or stolen when the deque is empty again; what
        // a scope further up has left here comes next.
        busy.store(false, Ordering::Relaxed);
    }

    /// The next job of this worker: first what its last job left in the deque, so that the deque is
    /// empty when a stolen job begins, then its queue. The queue comes before stealing, so a job
    /// waits at most for the piece of strict work that its worker is running, or for an idle
    /// worker to come and ask, whichever is sooner.
    fn next_here(&self) -> Option<Job> {
        self.pop().or_else(|| self.next_queued())
    }

    pub(super) fn next_queued(&self) -> Option<Job> {
        let seat = self.seat();
        // Busy from the moment that the job leaves the queue: at no moment do the jobs behind it look
        // like those of an idle worker, who keeps the last one to itself.
        // Ordering: published by the lock, and by the new length of the queue.
        let job = seat.queue.pop(|| seat.busy.store(true, Ordering::Relaxed));
        seat.counters.jobs.add(u64::from(job.is_some()));
        job
    }

    /// Looks for work, sleeping in between. `None` if there will be none any more.
    fn search(&self) -> Option<Job> {
        self.shared.assert_not_forked();
        let began = Instant::now();
        let mut slept = Duration::ZERO;
        self.shared.sleep.begin_search();
        // A thief that gets something in the first round troubles nobody with its token.
        let mut patience = self.shared.patience();
        let mut found = self.steal_round(|is_fenced| patience.may_force(is_fenced));
        let posts = found.is_none();
        while found.is_none() {
            // What it was woken for, before anybody is told that it has nothing.
            found = self.next_here();
            if found.is_some() {
                break;
            }
            // Posted again after each sleep: what it was used for may have been done by another.
            self.shared.fell_idle(self.index);
            found = self.search_awake(patience);
            if found.is_some() || self.shared.all_is_done() {
                break;
            }
            let asleep = Instant::now();
            let stayed_up = self.sleep();
            slept += asleep.elapsed();
            patience = self.shared.patience();
            if stayed_up {
                patience.lose();
            }
        }
        let searched = began.elapsed().saturating_sub(slept);
        self.seat()
            .counters
            .searching_nanos
            .add(searched.as_nanos() as u64);
        if posts {
            self.shared.found_work(self.index);
        }
        // Busy from now on, so that a job that was sent here meanwhile counts as one behind another.
        self.seat().busy.store(found.is_some(), Ordering::Relaxed);
        self.end_search();
        found
    }

    /// Stops searching, because it has found something.
    pub(super) fn end_search(&self) {
        let anything = || self.shared.is_anything_to_do(self.index);
        let wake_one = || self.wake_one();
        steps::end_search(
            &self.shared.sleep,
            self.shared.everybody(),
            anything,
            wake_one,
        );
    }

    fn search_awake(&self, mut patience: Patience<'_>) -> Option<Job> {
        loop {
            let steal = || self.steal_round(|is_fenced| patience.may_force(is_fenced));
            if let Some(job) = self.next_here().or_else(steal) {
                return Some(job);
            }
            if self.shared.is_closing() || !patience.pause() {
                return None;
            }
        }
    }

    /// Asks as many victims as there are others, chosen at random, or forces them.
    pub(super) fn steal_round(&self, mut may_force: impl FnMut(bool) -> bool) -> Option<Job> {
        let workers = self.shared.seats.len();
        (1..workers).find_map(|_| {
            let victim =
                Victim::UniformOther.choose(self.index, workers, &mut *self.rng.borrow_mut())?;
            let victim = &self.shared.seats[victim];
            self.steal_from(victim, &mut may_force, |_| true)
                .or_else(|| self.ask_for_jobs(victim))
        })
    }

    /// BFG: a processor without work asks another and gets f(l) of its l jobs.
    fn ask_for_jobs(&self, victim: &Seat) -> Option<Job> {
        if victim.queue.len() == 0 {
            return None;
        }
        let own = self.seat();
        // Jobs on their way are in no queue, and a pool that closes must not take this worker for one
        // without work.
        // Ordering: published by the new length of the victim's queue.
        own.asks.store(true, Ordering::Relaxed);
        self.shared.count_a_move();
        let job = self.take_jobs_of(victim);
        if job.is_some() {
            own.busy.store(true, Ordering::Relaxed);
        }
        // Ordering: Release, so that who sees this sees it busy.
        own.asks.store(false, Ordering::Release);
        job
    }

    fn take_jobs_of(&self, victim: &Seat) -> Option<Job> {
        let own = self.seat();
        let moved = victim.queue.give(&own.queue, |queued| {
            let load = (queued + usize::from(victim.is_busy())) as u64;
            usize::try_from(self.shared.steal.jobs(load)).unwrap_or(usize::MAX)
        });
        if moved == 0 {
            // A call or a child of a scope goes alone.
            let job = victim.queue.pop_if(|queued| queued.kind.goes_alone());
            own.counters.jobs.add(u64::from(job.is_some()));
            return job;
        }
        own.counters.job_steals.add(1);
        own.counters.jobs_moved.add(moved as u64);
        self.next_queued()
    }

    /// True if there was something to do, and nobody had to wake it for that.
    fn sleep(&self) -> bool {
        // Once it is among the sleepers, another thread may have taken its place: nothing but the seat may be
        // touched before it is unparked.
        let seat = self.seat();
        let doze = || seat.doze_on(&seat.parker);
        let park = || seat.park_on(&seat.parker);
        let mut stayed_up = false;
        // Perhaps it is not for us after all, and then we are here again at once.
        self.shared.sleep_idle(self.index, doze, park, || {
            spin_loop();
            stayed_up = true;
        });
        stayed_up
    }
}
