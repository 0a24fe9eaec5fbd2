//! The functions that most programs use.

#[cfg(feature = "async")]
pub use crate::scheduler::bridge::{
    Admission, CoreBudget, Cores, Intake, NoCores, Permit, Refused, Run,
};
pub use crate::scheduler::broadcast::BroadcastContext;
pub use crate::scheduler::cancel::{CancelScope, CancelToken, Cancelled};
pub use crate::scheduler::classes::Class;
pub use crate::scheduler::handle::JoinHandle;
pub use crate::scheduler::metrics::{Metrics, WorkerMetrics};
#[cfg(feature = "random")]
pub use crate::scheduler::pedigree::Pedigree;
pub use crate::scheduler::pool::{BuildError, DETERMINISTIC_WIDTH, IdlePolicy, Pool, PoolBuilder};
pub use crate::scheduler::scope::Scope;
pub use crate::scheduler::slices::{find_any, find_first, map_reduce, reduce};
pub use crate::scheduler::worker_local::WorkerLocal;
pub use filch_policy::dispatch::Spec as DispatchPolicy;
pub use filch_policy::steal::StealFunction;
#[cfg(feature = "profile")]
pub use filch_profile as profile;

use crate::scheduler::install::enter;
use crate::scheduler::pool::{global, spawn_batch_on, spawn_on};
use crate::scheduler::scope::Order;
use crate::scheduler::worker::{self, Closures, Worker};

/// Runs both closures, in parallel if another worker is free, and returns their results.
///
/// The first closure runs here at once, if this thread is a worker or [borrows the seat of
/// one](crate#from-outside). The second can be stolen while the first runs. If it is not stolen, it
/// runs here too, as in the serial program. Nothing is allocated, except when a worker that waits
/// for a stolen closure starts a [spare thread](PoolBuilder::spare_threads). A pool starts each of
/// these once.
///
/// ```
/// let mut numbers = [3, 1, 2];
/// let (first, rest) = numbers.split_at_mut(1);
/// let (a, b) = filch::join(|| first[0], || rest.iter().max().copied());
/// assert_eq!((a, b), (3, Some(2)));
/// ```
///
/// # Panics
///
/// With the payload of a closure that panics, after the other has ended; with that of the first if
/// both panic.
#[inline(always)]
pub fn join<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    let closures = Closures {
        a,
        b,
        call_a: |a: A| a(),
        call_b: |b: B, _| b(),
        // Copies, so that the closures themselves need no memory.
        outside: |a, b| join_outside(&mut Some((a, b))),
    };
    worker::join(worker::current_deque(), closures)
}

#[cold]
#[inline(never)]
fn join_outside<A, B, RA, RB>(closures: &mut Option<(A, B)>) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    let (a, b) = closures.take().expect("the caller has both");
    enter(global().shared(), || join(a, b))
}

/// Runs `body`, which may spawn children into the given [`Scope`], and returns its result when all
/// children have ended. So children may borrow what outlives the scope. A caller that is no worker
/// may [borrow the seat of one](crate#from-outside).
///
/// A spawn allocates once, for the child. Use [`join`] for two parts, and a scope where their
/// number is known only as they are found:
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// struct Tree {
///     children: Vec<Tree>,
/// }
///
/// fn count<'s>(tree: &'s Tree, nodes: &'s AtomicU32, scope: &filch::Scope<'s>) {
///     nodes.fetch_add(1, Ordering::Relaxed);
///     for child in &tree.children {
///         scope.spawn(move |scope| count(child, nodes, scope));
///     }
/// }
///
/// let leaf = || Tree { children: Vec::new() };
/// let tree = Tree { children: vec![leaf(), Tree { children: vec![leaf()] }] };
/// let nodes = AtomicU32::new(0);
/// filch::scope(|scope| count(&tree, &nodes, scope));
/// assert_eq!(nodes.into_inner(), 4);
/// ```
///
/// # Panics
///
/// With the payload of `body` if it panics, or else of the first child that panics, after all
/// children have ended.
pub fn scope<'scope, F, R>(body: F) -> R
where
    F: FnOnce(&Scope<'scope>) -> R + Send,
    R: Send,
{
    match Worker::current() {
        Some(worker) => Scope::run(worker, Order::Stack, body),
        None => enter(global().shared(), || scope(body)),
    }
}

/// Sends a job to the pool and returns at once.
///
/// On a worker, the job goes to the end of that worker's own queue. From outside, the pool's
/// dispatch policy chooses a worker. The job runs whether or not the handle is kept. A spawn
/// allocates once.
///
/// ```
/// let answer = filch::spawn(|| 6 * 7);
/// assert_eq!(answer.join().unwrap(), 42);
/// ```
pub fn spawn<F, T>(job: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    match Worker::current() {
        Some(worker) => spawn_on(worker.shared(), job),
        None => spawn_on(global().shared(), job),
    }
}

/// Sends a batch of jobs to the pool and returns at once, with their handles in the same order.
///
/// From outside the pool, the batch is split as evenly as possible over the idle workers.
///
/// ```
/// let lengths = filch::spawn_batch(["one", "three"].map(|word| move || word.len()));
/// let lengths: Vec<usize> = lengths.into_iter().map(|job| job.join().unwrap()).collect();
/// assert_eq!(lengths, [3, 5]);
/// ```
pub fn spawn_batch<I, F, T>(jobs: I) -> Vec<JoinHandle<T>>
where
    I: IntoIterator<Item = F>,
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    match Worker::current() {
        Some(worker) => spawn_batch_on(worker.shared(), jobs),
        None => spawn_batch_on(global().shared(), jobs),
    }
}

/// Runs `work`, which may block its thread: on a lock, a channel, input, or a sleep. If this thread
/// is one of a pool, another thread of the pool runs in its stead meanwhile, a [spare
/// one](PoolBuilder::spare_threads) if need be. So a pool whose workers all block here still runs
/// what is spawned, as long as spare threads may be started.
///
/// ```
/// use std::sync::mpsc::channel;
///
/// let pool = filch::Pool::new(1)?;
/// let (sender, receiver) = channel();
/// let waiting = pool.spawn(move || filch::blocking(|| receiver.recv()));
/// pool.spawn(move || sender.send(7)).join().unwrap()?;
/// assert_eq!(waiting.join().unwrap(), Ok(7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn blocking<R>(work: impl FnOnce() -> R) -> R {
    match Worker::current() {
        Some(worker) => worker.blocking(work),
        None => work(),
    }
}

/// The index of the current thread in its pool; `None` outside every pool. Workers have the indices
/// below [`Pool::threads`], and spare threads have those from there on. It does not change while
/// a closure runs, and no two threads of a pool have the same.
///
/// ```
/// assert_eq!(filch::current_worker(), None);
/// assert!(filch::spawn(filch::current_worker).join().unwrap().is_some());
/// ```
pub fn current_worker() -> Option<usize> {
    Worker::current().map(Worker::index)
}
