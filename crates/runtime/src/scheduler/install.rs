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
    if Worker::current().is_some() {
        return install(shared, work);
    }
    // Before the two ways part: a call is one site, whichever it takes.
    let recorded = record::Entry::begin::<F>();
    let work = recorded.wrap(work);
    match LentSeat::take(shared) {
        Some(lent) => lent.run(work),
        None => send(shared, work),
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
    let Some(worker) = worker else {
        return send(shared, work);
    };
    let job = InstallJob::new(work, CrossLatch::new(Arc::clone(worker.shared())));
    let call = worker.new_call();
    // SAFETY: we wait for the latch below.
    let sent = unsafe { job.job() }.within(Some(Arc::clone(&call)));
    shared.dispatch(sent, JobKind::Call);
    worker.wait_outside(job.latch().latch(), Awaited::Call(&call));
    job.into_result()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Sends `work` to a worker of the pool. This thread, which is in no pool, waits.
fn send<F, R>(shared: &Arc<PoolShared>, work: F) -> R
where
    F: FnOnce() -> R + Send,
    R: Send,
{
    let job = InstallJob::new(work, BlockingLatch::new());
    let mut backoff = shared.sender_backoff();
    // SAFETY: we wait for the latch below.
    shared.dispatch(unsafe { job.job() }, JobKind::Plain);
    job.latch().wait(|| backoff.pause());
    job.into_result()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
