//! The end of a pool's threads, for a worker of another pool that waits for it.

use crate::scheduler::job::{CrossLatch, Outcome};
use crate::scheduler::needs::{Awaited, Waits};
use crate::scheduler::pool::PoolShared;
use crate::scheduler::worker::Worker;
use crate::sync::Arc;
use crate::sync::atomic::{AtomicUsize, Ordering};

/// How many threads of a pool have not ended.
pub(super) struct Ending {
    alive: AtomicUsize,
    ended: Outcome<()>,
}

/// A thread that has not ended. It exists before the thread does.
pub(super) struct Alive {
    shared: Arc<PoolShared>,
}

impl Ending {
    pub(super) fn new() -> Self {
        Self {
            alive: AtomicUsize::new(0),
            ended: Outcome::new(),
        }
    }
}

impl Alive {
    pub(super) fn of(shared: &Arc<PoolShared>) -> Self {
        // Ordering: SeqCst, here and below; it happens once for each thread.
        shared.ending.alive.fetch_add(1, Ordering::SeqCst);
        Self {
            shared: Arc::clone(shared),
        }
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        let ending = &self.shared.ending;
        if ending.alive.fetch_sub(1, Ordering::SeqCst) == 1 {
            ending.ended.finish(Ok(()));
        }
    }
}

impl PoolShared {
    /// Waits until the threads of this pool have ended, on a worker of another pool. They may call
    /// that pool, and this may be its only worker, which serves them meanwhile.
    #[allow(unsafe_code, reason = "the last thread tells a latch on our stack")]
    pub(super) fn wait_for_end(self: &Arc<Self>, worker: &Worker) {
        let latch = CrossLatch::new(Arc::clone(worker.shared()));
        // SAFETY: we wait for the latch before we drop it.
        if unsafe { self.ending.ended.set_when_done(&latch) } {
            let _waits = Waits::begin(worker.activity(), Awaited::Pool(self));
            worker.wait_outside(latch.latch(), Awaited::Pool(self));
        }
    }
}
