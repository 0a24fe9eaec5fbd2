//! Independent jobs without a handle. Their panics go to the pool's handler.

use std::panic::{self, AssertUnwindSafe};

use crate::scheduler::broadcast::BroadcastContext;
use crate::scheduler::job::{HeapJob, Job};
use crate::scheduler::pool::{JobOrder, PoolShared};
use crate::scheduler::queue::JobKind;
use crate::scheduler::record;
use crate::scheduler::scope::Order;
use crate::scheduler::worker::Worker;
use crate::sync::Arc;

/// Sends a job to the pool. On a worker of the pool it goes to the front of that worker's queue;
/// with [`Order::Spawns`], the jobs that the worker has sent in that order begin oldest first. From
/// outside, the dispatch policy chooses a worker.
pub(crate) fn spawn(shared: &Arc<PoolShared>, order: Order, job: impl FnOnce() + Send + 'static) {
    match Worker::current() {
        Some(worker) if worker.is_of(shared) => {
            let job = detached(job, Some(worker)).within(worker.call());
            let job = match order {
                Order::Stack => job,
                Order::Spawns => stand_in(job, worker),
            };
            shared.push_spawned(worker, job);
            // After the job, so that there are never fewer stand-ins than jobs.
            if shared.order == JobOrder::AmongForks {
                worker.fork_job(stand_in_for_newest(worker));
            }
        }
        Some(worker) => {
            let call = worker.new_call();
            shared.dispatch(detached(job, None).within(Some(call)), JobKind::Call);
        }
        None => shared.dispatch(detached(job, None), JobKind::Plain),
    }
}

/// Sends a job to every worker of the pool.
pub(crate) fn spawn_broadcast<F>(shared: &Arc<PoolShared>, job: F)
where
    F: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
{
    let job = Arc::new(job);
    let call = Worker::current().and_then(|worker| {
        if worker.is_of(shared) {
            worker.call()
        } else {
            Some(worker.new_call())
        }
    });
    let share = |_| {
        let job = Arc::clone(&job);
        detached(move || job(BroadcastContext::here()), None).within(call.clone())
    };
    let shares: Vec<Job> = (0..shared.workers()).map(share).collect();
    shared.broadcast(shares);
}

#[allow(unsafe_code, reason = "jobs are run through pointers")]
fn detached(job: impl FnOnce() + Send + 'static, worker: Option<&Worker>) -> Job {
    let job = record::detached(job);
    let body = |worker: &Worker| {
        if let Err(panic) = panic::catch_unwind(AssertUnwindSafe(job)) {
            worker.report(panic);
        }
    };
    // SAFETY: the job is `'static`.
    unsafe { HeapJob::allocate(body, worker) }
}

/// Puts `job` into the worker's fifo and returns its stand-in.
#[allow(unsafe_code, reason = "jobs are run through pointers")]
fn stand_in(job: Job, worker: &Worker) -> Job {
    let index = worker.index();
    let shared = worker.shared();
    shared.seats[index].fifo.push(job);
    // A job is run by a worker of its pool.
    let body = move |worker: &Worker| worker.shared().seats[index].fifo.pop().run(worker);
    // SAFETY: the closure borrows nothing.
    unsafe { HeapJob::allocate(body, Some(worker)) }
}

/// What lies in the deque in place of a spawned job, so that the job has a place among the forks:
/// the worker itself runs its newest job here, and a thief the oldest. The job may have been run
/// already.
#[allow(unsafe_code, reason = "jobs are run through pointers")]
fn stand_in_for_newest(worker: &Worker) -> Job {
    let index = worker.index();
    let body = move |worker: &Worker| {
        let queue = &worker.shared().seats[index].queue;
        let job = if worker.index() == index {
            queue.pop_newest_spawned()
        } else {
            queue.pop_oldest_spawned()
        };
        match job {
            Some(job) => job.run(worker),
            None => worker.count_a_run_in_vain(),
        }
    };
    // SAFETY: the closure borrows nothing.
    unsafe { HeapJob::allocate(body, Some(worker)) }
}
