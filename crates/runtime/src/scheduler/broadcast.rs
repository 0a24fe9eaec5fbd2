//! Broadcasts: one share of work for each worker.

use core::fmt;

use crate::scheduler::pool::PoolShared;
use crate::scheduler::scope::{Order, Scope};
use crate::scheduler::worker::Worker;
use crate::sync::{Arc, Mutex, lock};

/// What a share of a broadcast is told: the worker that runs it.
pub struct BroadcastContext<'a> {
    worker: &'a Worker,
    /// The number of the frames below the share, if it is another than that of the share.
    number_below: Option<usize>,
}

impl BroadcastContext<'_> {
    /// For what the current worker runs.
    pub(crate) fn here() -> Self {
        let worker = Worker::current().expect("a share of a broadcast is run by a worker");
        let number_below = worker.begin_share();
        Self {
            worker,
            number_below,
        }
    }

    /// The index of this worker, from 0.
    #[inline]
    pub fn index(&self) -> usize {
        self.worker.index()
    }

    /// The number of workers of the pool, which is the number of shares.
    #[inline]
    pub fn num_threads(&self) -> usize {
        self.worker.shared().workers()
    }
}

impl Drop for BroadcastContext<'_> {
    fn drop(&mut self) {
        if let Some(number) = self.number_below {
            self.worker.end_share(number);
        }
    }
}

impl fmt::Debug for BroadcastContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BroadcastContext")
            .field("index", &self.index())
            .field("num_threads", &self.num_threads())
            .finish()
    }
}

/// Runs `work` on every worker of the pool and waits for all shares.
pub(crate) fn broadcast<F, R>(shared: &Arc<PoolShared>, work: F) -> Vec<R>
where
    F: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    let results: Vec<Mutex<Option<R>>> = (0..shared.workers()).map(|_| Mutex::new(None)).collect();
    let (work, shares) = (&work, &results);
    Scope::run_in_place(shared, Order::Stack, |scope| {
        scope.spawn_broadcast(move |_, worker| {
            let share = &shares[worker.index()];
            let result = work(worker);
            *lock(share) = Some(result);
        });
    });
    let result = |share: Mutex<Option<R>>| {
        let result = share
            .into_inner()
            .unwrap_or_else(|poison| poison.into_inner());
        result.expect("every share has ended, and none panicked")
    };
    results.into_iter().map(result).collect()
}
