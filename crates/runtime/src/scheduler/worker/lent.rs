//! A thread from outside that borrows the seat of a sleeping worker.
//!
//! A thread that calls `join` from outside a pool waits until the work is done, and could as well
//! do it. Handing the work to a sleeping worker and being woken by it takes two wake-ups in a row,
//! of 20 to 50 µs each: more than a short computation. So the caller borrows the worker's seat,
//! with its deque and its index, and the worker sleeps on. A loan adds no running thread.
//!
//! The caller takes the worker out of the sleepers, and no other thread can wake it. When the
//! caller is done, it puts the worker back, as if the worker fell asleep, and wakes it if there is
//! work by then. Between the two the worker is busy as far as other threads can see. The caller is
//! at no time counted as a searcher, so no other thread leaves work to it, and mostly it need not
//! look for any.
//!
//! For a moment the worker is taken out and not yet busy, and a pool that closes at that moment
//! would conclude that all is done. But a pool is not closed while another thread is inside one of
//! its methods.

use core::ptr::{self, NonNull};
use std::panic::{self, AssertUnwindSafe};

use super::Worker;
use crate::scheduler::pool::{Comes, PoolShared};
use crate::sleep::steps;
use crate::sync::atomic::{Ordering, fence};

/// The seat of a sleeping worker, held by another thread.
pub(crate) struct LentSeat<'pool> {
    shared: &'pool PoolShared,
    worker: NonNull<Worker>,
}

impl<'pool> LentSeat<'pool> {
    /// `None` if no worker sleeps, or the pool lends no seats.
    pub(crate) fn take(shared: &'pool PoolShared) -> Option<Self> {
        if !shared.lends_seats {
            return None;
        }
        shared.assert_same_process();
        let index = shared.sleep.take_worker()?;
        // Ordering: written before the worker entered the sleepers, whose lock we have taken since.
        let worker = shared.seats[index].worker.load(Ordering::Relaxed);
        Some(Self {
            shared,
            worker: NonNull::new(worker).expect("a sleeping worker has published its address"),
        })
    }

    /// Runs `work` on this thread, as the worker.
    pub(crate) fn run<R>(self, work: impl FnOnce() -> R) -> R {
        // SAFETY: a worker that was taken out of the sleepers lives and touches nothing before it
        // is unparked, which only the thread that took it out may do. So the worker is as good as
        // moved to this thread.
        let worker = unsafe { self.worker.as_ref() };
        worker.begin_loan();
        let mut result = None;
        worker.on_this_thread(|_| result = Some(panic::catch_unwind(AssertUnwindSafe(work))));
        self.give_back(worker);
        match result.expect("`on_this_thread` runs its closure") {
            Ok(result) => result,
            Err(panic) => panic::resume_unwind(panic),
        }
    }

    fn give_back(&self, worker: &Worker) {
        let (shared, index) = (self.shared, worker.index);
        // In another process the worker does not exist, nor do the threads that held the locks.
        if shared.is_other_process() {
            return;
        }
        worker.end_loan();
        // As a worker that falls asleep. Once it is among the sleepers, the seat is its own again.
        shared.post_token(index);
        let wake = || shared.seats[index].parker.unpark();
        steps::give_back(
            &shared.sleep,
            index,
            shared.attentions(),
            |only_own| shared.has_work_asleep(index, only_own),
            wake,
        );
    }
}

impl Worker {
    /// Publishes the address of this worker, before it sleeps for the first time.
    pub(super) fn publish_address(&self) {
        // Ordering: published by the lock of the sleepers.
        self.seat()
            .worker
            .store(ptr::from_ref(self).cast_mut(), Ordering::Relaxed);
    }

    /// As at the end of a search, but the borrower did not search: no fork was left to it.
    fn begin_loan(&self) {
        self.is_lent.set(true);
        self.take_own_number();
        self.shared.withdraw_token(self.index);
        self.seat().busy.store(true, Ordering::Relaxed);
        self.seat().counters.jobs.add(1);
        // A job that was sent here before this seat was busy looked like the only one of an idle
        // worker, and the thread that was woken for it may have left it alone. This fence pairs
        // with that of a thread that falls asleep: that thread sees this seat busy, or we see the
        // job.
        fence(Ordering::SeqCst);
        if !self.seat().queue.is_empty() && self.shared.sleep.wants_one() {
            self.wake_one(Comes::Beside);
        }
    }

    fn end_loan(&self) {
        debug_assert!(!self.seat().has_forks(), "what was forked was joined");
        self.seat().busy.store(false, Ordering::Relaxed);
        self.is_lent.set(false);
        self.let_number_go();
    }
}
