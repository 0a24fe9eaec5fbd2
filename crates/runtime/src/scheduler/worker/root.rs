//! Roots: the latches below which a worker's frames lie.

use core::ptr::{self, NonNull};

use super::Worker;
use super::lineage::{self, Origin};
use crate::latch::Latch;
use crate::sleep::steps;
use crate::sync::atomic::{Ordering, fence};

/// The frames of one stolen job on the stack of one worker. Two frames with the same segment lie on
/// one stack, with no steal between them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackSegment {
    worker: usize,
    job: u64,
    origin: Origin,
}

impl StackSegment {
    /// Whether the segment lies on the stack of `worker`, of the same pool.
    pub(crate) fn is_of(self, worker: &Worker) -> bool {
        self.worker == worker.index
    }

    /// The origin of what these frames fork.
    pub(crate) fn origin(self) -> Origin {
        self.origin
    }
}

/// How many generations up a forking worker looks for a sleeping waiter. A waiter further up is not
/// woken for a fork down here.
const REACH: usize = 64;

impl Worker {
    /// Runs `work`, a stolen job that will set `latch` and was forked by the job at `origin`, with
    /// that latch as root.
    pub(crate) fn run_below<R>(
        &self,
        latch: NonNull<Latch>,
        origin: Origin,
        work: impl FnOnce() -> R,
    ) -> R {
        self.with_root(latch.as_ptr(), origin, || {
            steps::start(self.seat().attention(), || self.is_awaited_above());
            work()
        })
    }

    /// Runs `work`, which is below no latch that is known.
    pub(super) fn without_root(&self, work: impl FnOnce()) {
        self.with_root(ptr::null_mut(), Origin::NONE, work);
    }

    fn with_root<R>(&self, latch: *mut Latch, origin: Origin, work: impl FnOnce() -> R) -> R {
        let seat = self.seat();
        seat.lineage
            .push(latch, origin, self.deque.position(), &self.shared.seats);
        let result = work();
        seat.lineage.pop();
        // A waiter further up may have fallen asleep meanwhile, and it may run what we fork from
        // now on.
        if self.origin() != Origin::NONE {
            steps::start(seat.attention(), || self.is_awaited_above());
        }
        result
    }

    /// The origin of what this worker forks at present.
    fn origin(&self) -> Origin {
        self.seat().lineage.innermost(self.index)
    }

    /// How many stolen jobs the current frame is below.
    pub(super) fn generation(&self) -> usize {
        lineage::generation(self.origin(), &self.shared.seats)
    }

    /// The segment of the current frame.
    pub(crate) fn segment(&self) -> StackSegment {
        StackSegment {
            worker: self.index,
            job: self.seat().lineage.version(),
            origin: self.origin(),
        }
    }

    /// Whether the current frame lies in `segment`.
    #[inline]
    pub(crate) fn is_in(&self, segment: StackSegment) -> bool {
        segment.is_of(self) && segment.job == self.seat().lineage.version()
    }

    /// Whether this worker runs a stolen child of `latch`.
    pub(crate) fn is_below(&self, latch: &Latch) -> bool {
        let mut latches = self.latches_above();
        latches
            .next()
            .is_some_and(|nearest| ptr::eq(nearest, latch))
    }

    /// Wakes the nearest sleeping waiter that may run what this worker has forked. False if there
    /// is none.
    pub(super) fn wake_above(&self) -> bool {
        if self.shared.is_other_process() {
            return false;
        }
        // Pairs with the waiter's fence: we see its latch asleep, or the waiter sees our fork.
        fence(Ordering::SeqCst);
        self.latches_above().take(REACH).any(|latch| {
            // SAFETY: this worker runs a job below the latch, which is not set before that job
            // ends.
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
