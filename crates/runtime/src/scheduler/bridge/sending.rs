//! Jobs that are sent through a handle that may outlive its pool.

use crate::scheduler::pool::{Comes, PoolShared};
use crate::scheduler::worker::Worker;
use crate::sync::Arc;
use crate::sync::atomic::{AtomicUsize, Ordering};

/// How many threads are sending a job. A pool that closes waits for them: a job that was accepted
/// is run.
#[derive(Default)]
pub(crate) struct Sending(AtomicUsize);

impl Sending {
    /// Whether no thread is sending.
    ///
    /// Ordering: SeqCst pairs with [`PoolShared::begin_sending`]. A sender that is not counted here
    /// has pushed its job, which the caller then finds in a queue; or it counts itself later, and
    /// then sees that the pool is closing.
    pub(crate) fn is_over(&self) -> bool {
        self.0.load(Ordering::SeqCst) == 0
    }
}

/// A thread that sends a job.
pub(super) struct Sender<'a> {
    pool: &'a PoolShared,
}

impl PoolShared {
    /// Keeps this pool from closing until the job of the caller is in a queue. `None` if the pool
    /// is closing: then only its own jobs send more, because it is not closed before they have
    /// ended.
    pub(super) fn begin_sending(self: &Arc<Self>) -> Option<Sender<'_>> {
        // Ordering: SeqCst, before `closing` is read; see `Sending::is_over`.
        self.sending.0.fetch_add(1, Ordering::SeqCst);
        let sender = Sender { pool: self };
        let is_own = || Worker::current().is_some_and(|worker| worker.is_of(self));
        (!self.is_closing() || is_own()).then_some(sender)
    }
}

impl Drop for Sender<'_> {
    fn drop(&mut self) {
        self.pool.sending.0.fetch_sub(1, Ordering::SeqCst);
        // The pool may have waited only for this sender.
        if self.pool.is_closing() {
            self.pool.wake_any(Comes::Instead);
        }
    }
}
