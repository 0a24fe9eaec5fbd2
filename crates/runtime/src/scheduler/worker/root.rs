//! What a worker's frames are below.

use core::ptr::{self, NonNull};

use super::Worker;
use crate::latch::Latch;
use crate::sleep::steps;
use crate::sync::atomic::Ordering;

/// A worker, and what it runs: two frames with the same home lie on one stack, within one stolen job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StackSegment {
    worker: usize,
    root: usize,
}

impl StackSegment {
    /// Whether it is in `worker`, of the same pool.
    pub(crate) fn is_of(self, worker: &Worker) -> bool {
        self.worker == worker.index
    }
}

impl Worker {
    /// Runs `work`, a stolen child that will set `latch`, as below that latch.
    pub(crate) fn run_below<R>(&self, latch: NonNull<Latch>, work: impl FnOnce() -> R) -> R {
        self.with_root(latch.as_ptr(), || {
            // SAFETY: the latch is not set before `work` has ended.
            steps::start(unsafe { latch.as_ref() }, self.seat().attention());
            work()
        })
    }

    /// Runs `work`, of which it is not known what it is below.
    pub(super) fn without_root(&self, work: impl FnOnce()) {
        self.with_root(ptr::null_mut(), work);
    }

    /// Runs `work` with another root. What this worker waits for is above that, so it is not shown
    /// to those who look for something to help with below.
    fn with_root<R>(&self, root: *mut Latch, work: impl FnOnce() -> R) -> R {
        let seat = self.seat();
        // Ordering: only this worker writes these two. Release, so that a thief who sees a job of ours
        // that was pushed after this (through `bottom` or `public`) sees the root.
        let above = seat.root.load(Ordering::Relaxed);
        let waits_for = seat.waits_for.load(Ordering::Relaxed);
        let base = seat.root_base.load(Ordering::Relaxed);
        // The larger base is there as long as the new root is, and a little longer: whoever reads them
        // apart refuses more than it need.
        seat.waits_for.store(ptr::null_mut(), Ordering::Release);
        seat.root_base
            .store(self.deque.position().number(), Ordering::Release);
        seat.root.store(root, Ordering::Release);
        let result = work();
        seat.root.store(above, Ordering::Release);
        seat.root_base.store(base, Ordering::Release);
        seat.waits_for.store(waits_for, Ordering::Release);
        // Who waits further up may have fallen asleep meanwhile, and forks from now on are its.
        // SAFETY: we run a child of that latch, which is not set before the child ends.
        if let Some(above) = unsafe { above.as_ref() } {
            steps::start(above, seat.attention());
        }
        result
    }

    /// Where this worker is in the computation.
    pub(crate) fn segment(&self) -> StackSegment {
        // Ordering: only this worker writes its root.
        StackSegment {
            worker: self.index,
            root: self.seat().root.load(Ordering::Relaxed).addr(),
        }
    }

    /// Whether this worker runs a stolen child of `latch`.
    pub(crate) fn is_below(&self, latch: &Latch) -> bool {
        ptr::eq(self.seat().root.load(Ordering::Relaxed), latch)
    }
}
