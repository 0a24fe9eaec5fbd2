//! A thread from outside in the place of a worker that sleeps.
//!
//! Whoever forks from outside a pool has to wait until it is done, and could as well do it. To hand the work
//! to a sleeping worker and to be woken by it takes two wake-ups, one after the other, of 20 to 50 µs
//! each: more than a short computation. So the caller takes the worker's place instead, with its deque and its
//! number, and the worker sleeps on. There are never more threads at work than the pool has workers.
//!
//! The worker is taken out of the sleepers as if it were woken, so from then on nobody else can wake it; and
//! when the caller is done, it puts it back as if the worker fell asleep, and wakes it if there is something to do by
//! then. Between the two the worker is busy, for attentions else.
//!
//! For a moment it is taken and not yet busy, and a pool that closes would think that all is done. But
//! nobody closes a pool while another thread is inside one of its methods.

use core::ptr::{self, NonNull};
use std::panic::{self, AssertUnwindSafe};

use super::Worker;
use crate::scheduler::pool::PoolShared;
use crate::sync::atomic::Ordering;

/// A worker that sleeps, in the hands of another thread.
pub(crate) struct LentSeat<'pool> {
    shared: &'pool PoolShared,
    worker: NonNull<Worker>,
}

impl<'pool> LentSeat<'pool> {
    /// `None` if no worker sleeps, or this pool's work is for its own threads only.
    pub(crate) fn take(shared: &'pool PoolShared) -> Option<Self> {
        if !shared.lends_seats {
            return None;
        }
        shared.assert_same_process();
        if shared.sleep.counts().sleeping() == 0 {
            return None;
        }
        let index = shared.sleep.take_any()?;
        // Ordering: written before the worker entered the sleepers, whose lock we have had since.
        let worker = shared.seats[index].worker.load(Ordering::Relaxed);
        Some(Self {
            shared,
            worker: NonNull::new(worker).expect("who sleeps is there"),
        })
    }

    /// Works in the worker's place.
    pub(crate) fn run<R>(self, work: impl FnOnce() -> R) -> R {
        // SAFETY: a worker that was taken out of the sleepers lives and touches nothing before it is unparked,
        // which is for the one to do who took it out. So it is as if it had moved to this thread.
        let worker = unsafe { self.worker.as_ref() };
        worker.begin_loan();
        let mut result = None;
        worker.on_this_thread(|_| result = Some(panic::catch_unwind(AssertUnwindSafe(work))));
        self.give_back(worker);
        match result.expect("it has been run") {
            Ok(result) => result,
            Err(panic) => panic::resume_unwind(panic),
        }
    }

    fn give_back(&self, worker: &Worker) {
        let (shared, index) = (self.shared, worker.index);
        // In another process there is nobody to give it to, and who held the locks is not there either.
        if shared.is_other_process() {
            return;
        }
        worker.end_loan();
        // As a worker that falls asleep. As soon as it is among the sleepers, it belongs to itself again.
        shared.sleep.begin_search();
        shared.post_token(index);
        let wake = || shared.seats[index].parker.unpark();
        // The worker may have dozed before, so nobody would look later.
        shared.sleep_idle(index, || false, || (), wake);
    }
}

impl Worker {
    /// Shows where this worker is, before it sleeps for the first time.
    pub(super) fn publish_address(&self) {
        // Ordering: published by the lock of the sleepers.
        self.seat()
            .worker
            .store(ptr::from_ref(self).cast_mut(), Ordering::Relaxed);
    }

    /// As when a search ends.
    fn begin_loan(&self) {
        self.is_lent.set(true);
        self.shared.withdraw_token(self.index);
        self.seat().busy.store(true, Ordering::Relaxed);
        self.seat().counters.jobs.add(1);
        self.end_search();
    }

    fn end_loan(&self) {
        debug_assert!(!self.seat().has_forks(), "what was forked has been joined");
        self.seat().busy.store(false, Ordering::Relaxed);
        self.is_lent.set(false);
    }
}
