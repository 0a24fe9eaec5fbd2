//! Roots: the latch below which a worker's frames lie.

use core::ptr::{self, NonNull};

use super::Worker;
use crate::latch::Latch;
use crate::sleep::steps;
use crate::sync::atomic::Ordering;

/// The frames of one stolen job on the stack of one worker. Two frames with the same segment lie on
/// one stack, with no steal between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StackSegment {
    worker: usize,
    root: usize,
}

impl StackSegment {
    /// Whether the segment lies on the stack of `worker`, of the same pool.
    pub(crate) fn is_of(self, worker: &Worker) -> bool {
        self.worker == worker.index
    }
}

impl Worker {
    /// Runs `work`, a stolen job that will set `latch`, with that latch as root.
    pub(crate) fn run_below<R>(&self, latch: NonNull<Latch>, work: impl FnOnce() -> R) -> R {
        self.with_root(latch.as_ptr(), || {
            // SAFETY: the latch is not set before `work` has ended.
            steps::start(unsafe { latch.as_ref() }, self.seat().attention());
            work()
        })
    }

    /// Runs `work`, which is below no latch that is known.
    pub(super) fn without_root(&self, work: impl FnOnce()) {
        self.with_root(ptr::null_mut(), work);
    }

    /// Runs `work` with another root. The latch for which this worker waits lies above that root,
    /// so it is hidden from workers that look for work below.
    fn with_root<R>(&self, root: *mut Latch, work: impl FnOnce() -> R) -> R {
        let seat = self.seat();
        // Ordering: only this worker writes these three. Release, so that a thief that sees a job
        // of ours which was pushed after this (through `bottom` or `public`) sees the root.
        let above = seat.root.load(Ordering::Relaxed);
        let waits_for = seat.waits_for.load(Ordering::Relaxed);
        let base = seat.root_base.load(Ordering::Relaxed);
        // The larger base is in place as long as the new root is, and a little longer. A reader
        // that sees only one of the two stores refuses more than it need.
        seat.waits_for.store(ptr::null_mut(), Ordering::Release);
        seat.root_base
            .store(self.deque.position().number(), Ordering::Release);
        seat.root.store(root, Ordering::Release);
        let result = work();
        seat.root.store(above, Ordering::Release);
        seat.root_base.store(base, Ordering::Release);
        seat.waits_for.store(waits_for, Ordering::Release);
        // The waiter of the former root may have fallen asleep meanwhile, and it may run what we
        // fork from now on.
        // SAFETY: we run a child of that latch, which is not set before the child ends.
        if let Some(above) = unsafe { above.as_ref() } {
            steps::start(above, seat.attention());
        }
        result
    }

    /// The segment of the current frame.
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
