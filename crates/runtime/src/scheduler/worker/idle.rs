//! The worker's loop: run the own work, otherwise search, otherwise sleep.

use std::time::{Duration, Instant};

use super::Worker;
use crate::scheduler::job::Job;
use crate::scheduler::pool::{Backoff, Comes};
use crate::sleep::{TIMED_PARK, steps};
use crate::sync::atomic::Ordering;
use crate::sync::spin_loop;
use crate::sync::thread::yield_now;

impl Worker {
    /// Works until the pool is closed and all that it accepted is done.
    pub(crate) fn work(&self) {
        self.publish_address();
        self.seat().publish_sleeper();
        self.take_own_number();
        self.seat().busy.store(false, Ordering::Relaxed);
        // The thread that started a spare one has counted it as a searcher.
        let mut found = if self.is_spare() {
            self.continue_search()
        } else {
            self.work_here();
            self.search()
        };
        while let Some(job) = found {
            self.run(job);
            self.work_here();
            found = self.search();
        }
    }

    /// Runs what is in the own deque and queue. After a job of the queue it waits a moment for the
    /// next: jobs from outside mostly come one after the other, and a search with its token for the
    /// dispatcher would cost more than such a job.
    pub(crate) fn work_here(&self) {
        let mut from_queue = false;
        loop {
            if let Some(job) = self.pop() {
                from_queue = false;
                self.run(job);
            } else if let Some(job) = self.next_queued() {
                from_queue = true;
                self.run(job);
            } else if !from_queue || !self.shared.awaits_job(&self.seat().queue) {
                return;
            }
        }
    }

    /// Runs what is left for this thread at its end. What a spare thread spawned is in the queue of
    /// a worker, which may have ended.
    pub(crate) fn work_off(&self) {
        self.work_here();
        let queue = &self.shared.seats[self.queue_index()].queue;
        while let Some(job) = queue.pop_shared() {
            self.run(job);
            self.work_here();
        }
    }

    fn run(&self, job: Job) {
        let busy = &self.seat().busy;
        busy.store(true, Ordering::Relaxed);
        job.run(self);
        self.forget_number();
        // When the deque is empty again, everything below a stolen job was run or stolen. What a
        // scope further up has left here comes next.
        busy.store(false, Ordering::Relaxed);
    }

    /// The next job of this worker: first what its last job left in the deque, so that the deque is
    /// empty when a stolen job begins; then its queue. The queue comes before stealing. So a job
    /// waits at most for the piece of strict work that its worker runs, or until an idle worker
    /// takes it, whichever is sooner.
    fn next_here(&self) -> Option<Job> {
        self.pop().or_else(|| self.next_queued())
    }

    pub(super) fn next_queued(&self) -> Option<Job> {
        let seat = self.seat();
        // Busy from the moment at which the job leaves the queue. Otherwise the jobs behind it
        // would look for a moment like those of an idle worker, which keeps its last one.
        // Ordering: published by the lock, and by the new length of the queue.
        let job = seat.queue.pop(|| seat.busy.store(true, Ordering::Relaxed));
        seat.counters.jobs.add(u64::from(job.is_some()));
        job
    }

    /// Searches for work and sleeps in between. `None` if the pool is closed and all is done.
    fn search(&self) -> Option<Job> {
        self.shared.sleep.begin_search();
        self.continue_search()
    }

    fn continue_search(&self) -> Option<Job> {
        self.shared.assert_same_process();
        let began = Instant::now();
        let jobs = self.seat().counters.jobs.get();
        if let Some(worked) = self.pace.end(began, jobs) {
            self.rest_after(worked, began);
        }
        let mut slept = Duration::ZERO;
        let mut backoff = self.shared.backoff();
        // A thief that finds work in the first round does not post its token.
        let mut found = self.steal_unless_crowded(|is_fenced| backoff.may_force(is_fenced));
        let posts = found.is_none();
        while found.is_none() {
            // First what it was woken for, then the token.
            found = self.next_here();
            if found.is_some() {
                break;
            }
            // Posted again after each sleep: a job that used the token may have been run by another
            // worker.
            self.shared.post_token(self.index);
            found = self.search_awake(backoff);
            if found.is_some() || self.shared.all_is_done() {
                break;
            }
            let asleep = Instant::now();
            let stayed_awake = self.sleep();
            slept += asleep.elapsed();
            backoff = self.shared.backoff();
            if stayed_awake {
                backoff.allow_force();
            }
        }
        let ended = Instant::now();
        self.pace.begin(ended, jobs);
        let searched = (ended - began).saturating_sub(slept);
        self.seat()
            .counters
            .searching_nanos
            .add(searched.as_nanos() as u64);
        if posts {
            self.shared.withdraw_token(self.index);
        }
        // Busy from now on, so that a job that was sent here meanwhile counts as one behind
        // another.
        self.seat().busy.store(found.is_some(), Ordering::Relaxed);
        self.end_search();
        found
    }

    /// Rests from `began` on, if it just did short work, until there is work of its own.
    fn rest_after(&self, worked: Duration, began: Instant) {
        let rest = self.rest.after(worked);
        let is_needed = || !self.seat().queue.has_nothing() || self.shared.is_closing();
        // A model has no time.
        while !cfg!(any(loom, shuttle)) && began.elapsed() < rest && !is_needed() {
            spin_loop();
        }
    }

    /// Leaves the searchers, because work was found.
    pub(super) fn end_search(&self) {
        let has_work = || self.shared.has_work_for(self.index);
        let wake_one = || {
            self.wake_one(Comes::Beside);
        };
        steps::end_search(
            &self.shared.sleep,
            self.shared.attentions(),
            has_work,
            wake_one,
        );
        // If there is more work than searchers, the number of threads that come doubles with each
        // wake-up.
        let searchers = self.shared.sleep.searchers_if_one_could_come();
        let has_more = |searchers| {
            self.shared.has_more_forks_than(searchers) || self.shared.has_more_jobs_than(searchers)
        };
        if searchers.is_some_and(has_more) {
            self.wake_one(Comes::Beside);
        }
        self.shared.wake_successors();
    }

    fn search_awake(&self, mut backoff: Backoff<'_>) -> Option<Job> {
        loop {
            let steal = || self.steal_unless_crowded(|is_fenced| backoff.may_force(is_fenced));
            if let Some(job) = self.next_here().or_else(steal) {
                return Some(job);
            }
            let may_search = !self.shared.is_closing() && !self.shared.is_search_crowded();
            if !may_search || !backoff.pause() {
                return None;
            }
        }
    }

    /// If more threads are active than there are workers, this one leaves its processor to another.
    fn steal_unless_crowded(&self, may_force: impl FnMut(bool) -> bool) -> Option<Job> {
        let is_crowded = self.shared.sleep.is_crowded();
        (!is_crowded).then(|| self.steal_round(may_force))?
    }

    /// Sleeps until it is woken. True if the worker found work before it slept.
    fn sleep(&self) -> bool {
        // Once the worker is among the sleepers, another thread may borrow its seat. Until it is
        // unparked, it must touch nothing but the seat.
        let seat = self.seat();
        self.let_number_go();
        let timed_park = || seat.park_timeout_on(&seat.parker, TIMED_PARK).is_some();
        let park = || {
            let _ = seat.park_on(&seat.parker);
        };
        let mut stayed_awake = false;
        // The work may be out of this worker's reach, and then it is here again at once. If many
        // workers are, the threads that they keep from the processors may be what holds the work.
        self.shared.sleep_idle(self.index, timed_park, park, || {
            yield_now();
            stayed_awake = true;
        });
        if let Some(wake_up) = seat.take_wake_up() {
            self.shared.placement.end(&wake_up);
        }
        self.take_own_number();
        stayed_awake
    }
}
