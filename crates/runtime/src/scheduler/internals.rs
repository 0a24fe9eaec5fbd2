//! What `rayon-core` needs of this crate and its other users do not. Anything here may change with
//! any version.

use crate::scheduler::api::{BroadcastContext, BuildError, Pool, Scope};
use crate::scheduler::detached;
use crate::scheduler::pool::PoolShared;
use crate::scheduler::scope::Order;
use crate::scheduler::worker::{self, Closures, Worker};
use crate::sync::Arc;

pub use crate::scheduler::pool::WorkerStart;
pub use crate::scheduler::scope_fifo::ScopeFifo;

/// [`join`](crate::join), whose closures are told whether they run on another thread than the
/// caller's. Outside every pool it uses the pool that `global` returns.
#[inline(always)]
pub fn join_context<A, B, RA, RB>(a: A, b: B, global: fn() -> &'static Pool) -> (RA, RB)
where
    A: FnOnce(bool) -> RA + Send,
    B: FnOnce(bool) -> RB + Send,
    RA: Send,
    RB: Send,
{
    let closures = Closures {
        a,
        b,
        call_a: |a: A| a(false),
        call_b: |b: B, migrated| b(migrated),
        // Copies, so that the closures themselves need no memory.
        outside: |a, b| join_outside(&mut Some((a, b)), global),
    };
    worker::join(worker::current_deque(), closures)
}

#[cold]
#[inline(never)]
fn join_outside<A, B, RA, RB>(
    closures: &mut Option<(A, B)>,
    global: fn() -> &'static Pool,
) -> (RA, RB)
where
    A: FnOnce(bool) -> RA + Send,
    B: FnOnce(bool) -> RB + Send,
    RA: Send,
    RB: Send,
{
    let (a, b) = closures.take().expect("the caller has both");
    global().install(|| crate::join(|| a(true), || b(true)))
}

/// A borrowed pool.
#[derive(Clone, Copy)]
pub struct PoolRef<'pool> {
    shared: &'pool Arc<PoolShared>,
}

impl<'pool> PoolRef<'pool> {
    /// This pool.
    pub fn of(pool: &'pool Pool) -> Self {
        Self {
            shared: pool.shared(),
        }
    }

    /// Calls `with` with the pool of the current worker, or with the one that `global` returns.
    pub fn current<R>(global: fn() -> &'static Pool, with: impl FnOnce(PoolRef<'_>) -> R) -> R {
        match Worker::current() {
            Some(worker) => with(PoolRef {
                shared: worker.shared(),
            }),
            None => with(PoolRef::of(global())),
        }
    }

    /// The number of workers.
    pub fn threads(self) -> usize {
        self.shared.workers()
    }

    /// The number by which programs divide their work: the fixed width, or that of the workers if
    /// they are more or no width was fixed.
    pub fn width(self) -> usize {
        let workers = self.shared.workers();
        self.shared
            .width
            .map_or(workers, |width| width.max(workers))
    }

    /// A number that is different for each pool that exists.
    pub fn id(self) -> usize {
        Arc::as_ptr(self.shared).addr()
    }

    /// The number of the current thread, if it is one of this pool.
    pub fn number(self) -> Option<usize> {
        self.current_worker().map(Worker::number)
    }

    fn current_worker(self) -> Option<&'pool Worker> {
        Worker::current().filter(|worker| worker.is_of(self.shared))
    }

    /// Runs `work` on a worker of this pool and waits for it.
    pub fn install<R: Send>(self, work: impl FnOnce() -> R + Send) -> R {
        crate::scheduler::install::install(self.shared, work)
    }

    /// Sends a job that comes before the other work of the worker. If `fifo`, the jobs that the
    /// worker has sent with `fifo` begin oldest first.
    pub fn spawn(self, fifo: bool, job: impl FnOnce() + Send + 'static) {
        let order = if fifo { Order::Spawns } else { Order::Stack };
        detached::spawn(self.shared, order, job);
    }

    /// Sends a job to every worker.
    pub fn spawn_broadcast(self, job: impl Fn(BroadcastContext<'_>) + Send + Sync + 'static) {
        detached::spawn_broadcast(self.shared, job);
    }

    /// Runs `work` on every worker and waits for all shares.
    pub fn broadcast<F, R>(self, work: F) -> Vec<R>
    where
        F: Fn(BroadcastContext<'_>) -> R + Sync,
        R: Send,
    {
        crate::scheduler::broadcast::broadcast(self.shared, work)
    }

    /// [`Pool::in_place_scope`].
    pub fn in_place_scope<'scope, R>(self, body: impl FnOnce(&Scope<'scope>) -> R) -> R {
        Scope::run_in_place(self.shared, Order::Stack, body)
    }

    /// [`Pool::in_place_scope`], whose children begin in the order of their spawns.
    pub fn in_place_scope_fifo<'scope, R>(self, body: impl FnOnce(&ScopeFifo<'scope>) -> R) -> R {
        let body = |scope: &Scope<'scope>| body(ScopeFifo::of(scope));
        Scope::run_in_place(self.shared, Order::Spawns, body)
    }

    /// Runs one piece of work of the current worker, or also stolen work if `anything`. `None` if
    /// the current thread is no worker of this pool, and false if there was nothing to run.
    pub fn run_one(self, anything: bool) -> Option<bool> {
        self.current_worker()
            .map(|worker| run_one(worker, anything))
    }

    /// Whether the current worker has work that was not started.
    pub fn has_pending(self) -> Option<bool> {
        self.current_worker().map(Worker::has_pending)
    }
}

/// [`PoolRef::number`] in the pool of the current worker.
#[inline]
pub fn current_number() -> Option<usize> {
    Worker::current().map(Worker::number)
}

/// [`PoolRef::run_one`] on the pool of the current worker.
pub fn run_one_here(anything: bool) -> Option<bool> {
    Worker::current().map(|worker| run_one(worker, anything))
}

fn run_one(worker: &Worker, anything: bool) -> bool {
    if anything {
        worker.yield_now()
    } else {
        worker.yield_local()
    }
}

/// [`PoolRef::has_pending`] on the pool of the current worker.
pub fn has_pending_here() -> Option<bool> {
    Worker::current().map(Worker::has_pending)
}

/// The width of a pool that is built with this setting; `None` if it is not fixed.
///
/// # Errors
///
/// If `FILCH_DETERMINISTIC` is no width.
pub fn fixed_width(set: Option<usize>) -> Result<Option<usize>, BuildError> {
    crate::scheduler::pool::fixed_width(set)
}

/// Whether the pool of the current worker has a fixed width.
pub fn is_deterministic() -> bool {
    Worker::current().is_some_and(|worker| worker.shared().width.is_some())
}
