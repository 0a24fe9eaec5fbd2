//! A set of workers.

mod backoff;
mod builder;
mod closing;
mod dispatching;
mod ending;
mod force_cost;
mod global;
mod last_sent;
mod numbers;
mod order;
mod placement;
mod processors;
mod searching;
mod seats;
mod shared;
mod spares;
mod stall;
mod start;
mod width;

pub(crate) use backoff::{Backoff, SPINS_BEFORE_YIELD};
pub use builder::{BuildError, IdlePolicy, PoolBuilder};
pub(crate) use global::global;
pub(crate) use numbers::Numbers;
pub(crate) use order::JobOrder;
pub(crate) use placement::{Comes, WakeUp};
pub(crate) use seats::Seats;
pub(crate) use shared::PoolShared;
pub use start::WorkerStart;
pub use width::DETERMINISTIC_WIDTH;
pub(crate) use width::fixed_width;

use core::fmt;

use crate::scheduler::broadcast::BroadcastContext;
use crate::scheduler::handle::JoinHandle;
use crate::scheduler::install;
use crate::scheduler::job::Task;
use crate::scheduler::metrics::Metrics;
use crate::scheduler::queue::JobKind;
use crate::scheduler::record;
use crate::scheduler::scope::{Order, Scope};
use crate::scheduler::worker::Worker;
use crate::sync::{Arc, thread};

/// A set of workers of one's own. Most programs need only the global pool, which the functions of
/// the crate use.
///
/// Dropping a pool waits until all work that it has accepted is done, and then for its threads.
/// Only a job that drops its own pool does not wait; then the threads end by themselves.
///
/// # Several pools
///
/// Work belongs to the pool that it was given to: inside [`install`](Self::install), the functions
/// of the crate use that pool. A worker that calls another pool waits for it. Meanwhile it runs
/// calls from other pools, in an order that cannot deadlock even with one worker per pool. Such a
/// call lies on top of the waiting frames, so a stack may then grow past that of the serial
/// program.
///
/// ```
/// let pool = filch::Pool::new(2)?;
/// let (a, b) = pool.join(|| 1 + 1, || filch::current_worker());
/// assert_eq!(a, 2);
/// assert!(b.is_some());
/// # Ok::<(), filch::BuildError>(())
/// ```
pub struct Pool {
    shared: Arc<PoolShared>,
    /// The threads that end with the pool.
    threads: Vec<thread::JoinHandle<()>>,
    /// Whether worker 0 is a thread that the pool does not own.
    borrows_thread: bool,
}

impl Pool {
    /// Configures a pool.
    pub fn builder() -> PoolBuilder {
        PoolBuilder::default()
    }

    /// A pool of `threads` workers, with the default configuration.
    ///
    /// # Errors
    ///
    /// As [`PoolBuilder::build`].
    pub fn new(threads: usize) -> Result<Self, BuildError> {
        Self::builder().threads(threads).build()
    }

    /// Runs `work` on a thread of this pool, or here if this thread is one of its workers, and
    /// waits for it. Inside, [`join`](crate::join) and [`scope`](crate::scope) use this pool.
    pub fn install<F, R>(&self, work: F) -> R
    where
        F: FnOnce() -> R + Send,
        R: Send,
    {
        install::install(&self.shared, work)
    }

    /// [`join`](crate::join) on this pool. A caller from outside may run it [on its own
    /// thread](crate#from-outside).
    pub fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        install::enter(&self.shared, || crate::join(a, b))
    }

    /// [`scope`](crate::scope) on this pool. A caller from outside may run it [on its own
    /// thread](crate#from-outside).
    pub fn scope<'scope, F, R>(&self, body: F) -> R
    where
        F: FnOnce(&Scope<'scope>) -> R + Send,
        R: Send,
    {
        install::enter(&self.shared, || crate::scope(body))
    }

    /// A [`scope`](crate::scope) whose body runs on the calling thread, worker or not, while its
    /// children run on this pool. So the body need not be [`Send`].
    ///
    /// ```
    /// use std::{cell::Cell, sync::atomic::{AtomicU32, Ordering}};
    ///
    /// let pool = filch::Pool::new(2)?;
    /// let (here, there) = (Cell::new(0), AtomicU32::new(0));
    /// pool.in_place_scope(|s| {
    ///     s.spawn(|_| there.store(1, Ordering::Relaxed));
    ///     here.set(2);
    /// });
    /// assert_eq!((here.get(), there.into_inner()), (2, 1));
    /// # Ok::<(), filch::BuildError>(())
    /// ```
    pub fn in_place_scope<'scope, F, R>(&self, body: F) -> R
    where
        F: FnOnce(&Scope<'scope>) -> R,
    {
        Scope::run_in_place(&self.shared, Order::Stack, body)
    }

    /// Runs `work` on every worker of this pool, and returns the results in the order of the
    /// workers.
    ///
    /// A worker runs its share when it has nothing else to do. A worker that waits in a `join` or a
    /// scope runs it on top of the waiting frames; so a lock that is held across a `join` must not
    /// be taken in a broadcast. If the seat of a worker is [lent](crate#from-outside), the thread
    /// that has borrowed it runs the share.
    ///
    /// ```
    /// let pool = filch::Pool::new(3)?;
    /// assert_eq!(pool.broadcast(|worker| 10 * worker.index()), [0, 10, 20]);
    /// # Ok::<(), filch::BuildError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// With the payload of the first share that panics, after all shares have ended.
    pub fn broadcast<F, R>(&self, work: F) -> Vec<R>
    where
        F: Fn(BroadcastContext<'_>) -> R + Sync,
        R: Send,
    {
        crate::scheduler::broadcast::broadcast(&self.shared, work)
    }

    /// [`spawn`](crate::spawn) on this pool.
    pub fn spawn<F, T>(&self, job: F) -> JoinHandle<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        spawn_on(&self.shared, job)
    }

    /// [`spawn_batch`](crate::spawn_batch) on this pool.
    pub fn spawn_batch<I, F, T>(&self, jobs: I) -> Vec<JoinHandle<T>>
    where
        I: IntoIterator<Item = F>,
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        spawn_batch_on(&self.shared, jobs)
    }

    /// The number of workers.
    pub fn threads(&self) -> usize {
        self.shared.workers()
    }

    /// What the workers have done so far.
    pub fn metrics(&self) -> Metrics {
        self.shared.metrics()
    }

    pub(crate) fn shared(&self) -> &Arc<PoolShared> {
        &self.shared
    }
}

pub(crate) fn spawn_on<F, T>(shared: &Arc<PoolShared>, job: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let task = Task::new(record::detached(job));
    let mut call = None;
    match Worker::current() {
        Some(worker) if worker.is_of(shared) => {
            shared.push_local(worker, [task.job().within(worker.call())]);
        }
        Some(worker) => {
            call = Some(worker.new_call());
            shared.dispatch(task.job().within(call.clone()), JobKind::Call);
        }
        None => shared.dispatch(task.job(), JobKind::Plain),
    }
    JoinHandle::new(task, Arc::clone(shared), call)
}

pub(crate) fn spawn_batch_on<I, F, T>(shared: &Arc<PoolShared>, jobs: I) -> Vec<JoinHandle<T>>
where
    I: IntoIterator<Item = F>,
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let task = |job| Task::new(record::detached(job));
    let tasks: Vec<_> = jobs.into_iter().map(task).collect();
    let jobs = tasks.iter().map(Task::job);
    let mut call = None;
    match Worker::current() {
        Some(worker) if worker.is_of(shared) => {
            let jobs = jobs.map(|job| job.within(worker.call()));
            shared.push_local(worker, jobs);
        }
        Some(worker) => {
            call = Some(worker.new_call());
            let jobs = jobs.map(|job| job.within(call.clone()));
            shared.dispatch_batch(jobs.collect(), JobKind::Call);
        }
        None => shared.dispatch_batch(jobs.collect(), JobKind::Plain),
    }
    let handle = |task| JoinHandle::new(task, Arc::clone(shared), call.clone());
    tasks.into_iter().map(|task| handle(task)).collect()
}

impl Drop for Pool {
    fn drop(&mut self) {
        // The threads are in another process, and so are the threads that held locks at the fork.
        if self.shared.is_other_process() {
            core::mem::forget(core::mem::take(&mut self.threads));
            return;
        }
        if self.borrows_thread {
            // The other workers decide without it that all is done.
            self.shared.mark_absent(0);
        }
        self.shared.close();
        let mut threads = core::mem::take(&mut self.threads);
        match Worker::current() {
            // A job may own its pool and cannot wait for its own end. The workers end after it.
            Some(worker) if worker.is_of(&self.shared) => return,
            Some(worker) if !threads.is_empty() => self.shared.wait_for_end(worker),
            _ => {}
        }
        // A pool that was not given its threads does not wait for its spare ones either.
        while !threads.is_empty() {
            for thread in threads {
                // A worker does not panic: the user's code runs behind `catch_unwind`.
                drop(thread.join());
            }
            // Those that the threads so far have started.
            threads = self.shared.spares.take_threads();
        }
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("threads", &self.threads())
            .finish_non_exhaustive()
    }
}
