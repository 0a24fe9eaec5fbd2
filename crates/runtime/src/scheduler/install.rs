//! Work that a thread hands to a pool and waits for.
#![allow(unsafe_code, reason = "the work lies on the stack of the waiter")]

use crate::latch::BlockingLatch;
use crate::scheduler::job::{CrossLatch, InstallJob};
use crate::scheduler::needs::Awaited;
use crate::scheduler::pool::PoolShared;
use crate::scheduler::queue::JobKind;
use crate::scheduler::record;
use crate::scheduler::worker::{LentSeat, Worker};
use crate::sync::Arc;

/// Runs `work` on a worker of the pool, or on this thread in a borrowed seat.
pub(crate) fn enter<F, R>(shared: &Arc<PoolShared>, work: F) -> R
where
    F: FnOnce() -> R + Send,
    R: Send,
{
    let lent = match Worker::current() {
        None => LentSeat::take(shared),
        Some(_) => None,
    };
    match lent {
        Some(lent) => {
            let recorded = record::Entry::begin::<F>();
            lent.run(recorded.wrap(work))
        }
        None => install(shared, work),
    }
}

/// Runs `work` on a worker of the pool: here if this thread is one, and otherwise on the worker
/// that the dispatch policy chooses, while this thread waits.
pub(crate) fn install<F, R>(shared: &Arc<PoolShared>, work: F) -> R
where
    F: FnOnce() -> R + Send,
    R: Send,
{
    let worker = match Worker::current() {
        Some(worker) if worker.is_of(shared) => return work(),
        worker => worker,
    };
    let recorded = record::Entry::begin::<F>();
    let work = recorded.wrap(work);
    let result = match worker {
        Some(worker) => {
            let job = InstallJob::new(work, CrossLatch::new(Arc::clone(worker.shared())));
            let call = worker.new_call();
            // SAFETY: we wait for the latch below.
            let sent = unsafe { job.job() }.within(Some(Arc::clone(&call)));
            shared.dispatch(sent, JobKind::Call);
            worker.wait_outside(job.latch().latch(), Awaited::Call(&call));
            job.into_result()
        }
        None => {
            let job = InstallJob::new(work, BlockingLatch::new());
            // SAFETY: we wait for the latch below.
            shared.dispatch(unsafe { job.job() }, JobKind::Plain);
            let mut backoff = shared.caller_backoff();
            job.latch().wait(|| backoff.pause());
            job.into_result()
        }
    };
    result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
