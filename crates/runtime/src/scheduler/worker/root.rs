//! What a worker's frames are below.

use core::ptr::{self, NonNull};

use super::Worker;
use super::lineage::{self, Origin};
use crate::latch::Latch;
use crate::sleep::steps;
use crate::sync::atomic::{Ordering, fence};

/// A worker, and what it runs: two frames with the same home lie on one stack, within one stolen job.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Home {
    worker: usize,
    job: u64,
    origin: Origin,
}

impl Home {
    /// Whether it is in `worker`, of the same pool.
    pub(crate) fn is_of(self, worker: &Worker) -> bool {
        self.worker == worker.index
    }

    /// What is forked there is below this.
    pub(crate) fn origin(self) -> Origin {
        self.origin
    }
}

/// How many generations up a worker that forks looks for a waiter to wake. A waiter further up is not
/// woken for what is forked down here; it finds it if it looks by itself.
const REACH: usize = 64;

impl Worker {
    /// Runs `work`, a stolen child that will set `latch` and was forked by `parent`, as below that
    /// latch.
    pub(crate) fn below<R>(
        &self,
        latch: NonNull<Latch>,
        parent: Origin,
        work: impl FnOnce() -> R,
    ) -> R {
        self.under(latch.as_ptr(), parent, || {
            steps::start(self.seat().attention(), || self.is_awaited_above());
            work()
        })
    }

    /// Runs `work`, of which it is not known what it is below.
    pub(super) fn rootless(&self, work: impl FnOnce()) {
        self.under(ptr::null_mut(), Origin::NONE, work);
    }

    fn under<R>(&self, latch: *mut Latch, parent: Origin, work: impl FnOnce() -> R) -> R {
        let seat = self.seat();
        seat.lineage
            .push(latch, parent, self.deque.place(), &self.shared.seats);
        let result = work();
        seat.lineage.pop();
        // A waiter further up may have fallen asleep meanwhile, and forks from now on are for it.
        if self.origin() != Origin::NONE {
            steps::start(seat.attention(), || self.is_awaited_above());
        }
        result
    }

    /// The job that this worker runs at present.
    pub(crate) fn origin(&self) -> Origin {
        self.seat().lineage.innermost(self.index)
    }

    /// Where this worker is in the computation.
    pub(crate) fn home(&self) -> Home {
        Home {
            worker: self.index,
            job: self.seat().lineage.version(),
            origin: self.origin(),
        }
    }

    /// Whether this worker runs what it ran at `home`.
    pub(crate) fn is_at(&self, home: Home) -> bool {
        home.is_of(self) && home.job == self.seat().lineage.version()
    }

    /// Whether this worker runs a stolen child of `latch`.
    pub(crate) fn is_below(&self, latch: &Latch) -> bool {
        self.latches_above()
            .next()
            .is_some_and(|nearest| ptr::eq(nearest, latch))
    }

    /// Wakes the nearest of the waiters that sleep and may help with what this worker forks. False if there
    /// is none.
    pub(super) fn wake_above(&self) -> bool {
        // Pairs with the fence of a worker that falls asleep: we see it asleep, or it sees what there is
        // to do.
        fence(Ordering::SeqCst);
        self.latches_above().take(REACH).any(|latch| {
            // SAFETY: this worker runs a job below the latch, which is not set before that job ends.
            let latch = unsafe { &*latch };
            latch.is_asleep() && latch.wake()
        })
    }

    fn is_awaited_above(&self) -> bool {
        self.latches_above().take(REACH).any(|latch| {
            // SAFETY: as in `wake_above`.
            unsafe { &*latch }.is_asleep()
        })
    }

    fn latches_above(&self) -> impl Iterator<Item = *mut Latch> {
        lineage::latches_above(self.origin(), &self.shared.seats)
    }
}
