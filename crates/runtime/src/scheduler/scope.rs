//! Scopes: children that borrow from the frame that waits for them.

mod outside;

use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;
use std::panic::{self, AssertUnwindSafe};

use outside::Outside;

use crate::latch::{BlockingLatch, Latch};
use crate::scheduler::broadcast::BroadcastContext;
use crate::scheduler::call::Call;
use crate::scheduler::fifo::Fifo;
use crate::scheduler::job::{CrossLatch, HeapJob, Job, Panic, discard};
use crate::scheduler::needs::{Awaited, TaskId};
use crate::scheduler::pending::Pending;
use crate::scheduler::pool::PoolShared;
use crate::scheduler::queue::JobKind;
use crate::scheduler::record;
use crate::scheduler::worker::{Origin, StackSegment, Worker};
use crate::sync::{Arc, Mutex, lock};

/// A scope to spawn children into. [`scope`](crate::scope) passes one to its closure, and returns
/// when all children have ended.
pub struct Scope<'scope> {
    /// Set when no child is left.
    latch: Latch,
    /// The number of children that have not ended.
    pending: Pending,
    /// The first panic of a child.
    panic: Mutex<Option<Panic>>,
    shared: Arc<PoolShared>,
    /// Where the scope was opened, by its owner. `None` if the thread that opened it is no worker
    /// of the pool.
    segment: Option<StackSegment>,
    /// What that thread waits for, if the scope has no owner. Then no worker sleeps on `latch`,
    /// whose address only identifies the children.
    outside: Option<Outside>,
    /// The call that the children belong to, wherever they are run: the one in which the owner
    /// runs, or the one that the scope is, if it was opened by a worker of another pool.
    call: Option<Arc<Call>>,
    /// The task that the children belong to, in the same way.
    task: TaskId,
    /// For each worker, the children that it spawned in order; empty if the scope has no order.
    fifos: Box<[Fifo]>,
    /// Invariant in 'scope: children may borrow for exactly that long.
    lifetime: PhantomData<fn(&'scope ()) -> &'scope ()>,
}

impl<'scope> Scope<'scope> {
    /// Starts a child that may run on any worker, and may itself spawn into the scope.
    ///
    /// ```
    /// let mut left = 0;
    /// let mut right = 0;
    /// filch::scope(|s| {
    ///     s.spawn(|_| left = 1);
    ///     s.spawn(|_| right = 2);
    /// });
    /// assert_eq!((left, right), (1, 2));
    /// ```
    pub fn spawn<F>(&self, child: F)
    where
        F: FnOnce(&Scope<'scope>) + Send + 'scope,
    {
        let worker = self.spawner();
        self.count_child(worker);
        let job = self.child(child, worker, record::Spawned::begin::<F>());
        self.send(job, worker);
    }

    /// Starts a child as [`spawn`](Self::spawn) does, but those that one worker spawns begin in the
    /// order of their spawns, unless they are stolen. Only for a scope with an order.
    pub(crate) fn spawn_fifo<F>(&self, child: F)
    where
        F: FnOnce(&Scope<'scope>) + Send + 'scope,
    {
        let worker = self.spawner();
        self.count_child(worker);
        let job = self.child(child, worker, record::Spawned::begin::<F>());
        match worker {
            Some(worker) => {
                let index = worker.index();
                self.fifos[index].push(job);
                let stand_in = self.stand_in(index, worker);
                self.send(stand_in, Some(worker));
            }
            None => self.send(job, None),
        }
    }

    #[allow(unsafe_code, reason = "a child outlives the call that spawns it")]
    fn stand_in(&self, index: usize, worker: &Worker) -> Job {
        let scope = ScopePointer(NonNull::from(self).cast());
        let body = move |worker: &Worker| {
            // SAFETY: the scope lives until no child is left, and there is a child in the fifo for
            // each stand-in that has not run.
            let scope: &Scope<'scope> = unsafe { scope.get() };
            let child = scope.fifos[index].pop();
            child.run(worker);
        };
        // SAFETY: the closure borrows the scope, which lives as just said.
        unsafe { HeapJob::allocate(body, Some(worker)) }
    }

    /// Starts a child on every worker of the pool. Each worker runs its own when it has nothing
    /// else to do, or while it waits. The child is told which worker runs it.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    ///
    /// let pool = filch::Pool::new(3)?;
    /// let sum = AtomicUsize::new(0);
    /// pool.scope(|s| {
    ///     s.spawn_broadcast(|_, worker| {
    ///         sum.fetch_add(worker.index(), Ordering::Relaxed);
    ///     });
    /// });
    /// assert_eq!(sum.into_inner(), 0 + 1 + 2);
    /// # Ok::<(), filch::BuildError>(())
    /// ```
    pub fn spawn_broadcast<F>(&self, child: F)
    where
        F: Fn(&Scope<'scope>, BroadcastContext<'_>) + Send + Sync + 'scope,
    {
        let worker = self.spawner();
        let child = Arc::new(child);
        let share = |_| {
            self.count_child(worker);
            let child = Arc::clone(&child);
            let share = move |scope: &Scope<'scope>| child(scope, BroadcastContext::here());
            let share = self.child(share, worker, record::Spawned::share::<F>());
            share.within(self.call.clone())
        };
        let shares: Vec<Job> = (0..self.shared.workers()).map(share).collect();
        self.shared.broadcast(shares);
    }

    /// The worker of the pool that spawns, unless another thread does.
    #[inline]
    fn spawner<'a>(&self) -> Option<&'a Worker> {
        Worker::current().filter(|worker| worker.is_of(&self.shared))
    }

    /// Counts a child before it can run.
    #[inline]
    fn count_child(&self, spawner: Option<&Worker>) {
        let by_owner = spawner.is_some_and(|worker| self.is_owner(worker));
        self.pending.spawned(by_owner);
    }

    /// Sends a child to where it can be run.
    #[inline]
    fn send(&self, job: Job, worker: Option<&Worker>) {
        match worker {
            Some(worker) if self.is_near(worker) => worker.fork_job(job),
            _ => self.dispatch(job),
        }
    }

    /// Sends a child to a queue: its worker is not near the scope.
    #[cold]
    fn dispatch(&self, job: Job) {
        let kind = match self.outside {
            Some(Outside::Worker(_)) => JobKind::Call,
            _ => JobKind::Scope(core::ptr::from_ref(&self.latch).addr()),
        };
        self.shared.dispatch(job.within(self.call.clone()), kind);
        // The waiter of the scope may run it too. The child may have ended by now, but the caller
        // is counted itself, so the scope lives.
        self.latch.wake();
    }

    #[allow(unsafe_code, reason = "a child outlives the call that spawns it")]
    fn child<F>(&self, child: F, worker: Option<&Worker>, recorded: record::Spawned) -> Job
    where
        F: FnOnce(&Scope<'scope>) + Send + 'scope,
    {
        let scope = ScopePointer(NonNull::from(self).cast());
        let body = move |worker: &Worker| {
            // SAFETY: the scope lives until no child is left, and this child is counted.
            let scope: &Scope<'scope> = unsafe { scope.get() };
            let run = || recorded.run(|| panic::catch_unwind(AssertUnwindSafe(|| child(scope))));
            // The worker that takes a child out of a queue or a deque may run for another call, or
            // for none: a child may be left there by a job that has ended.
            worker.within(scope.call.clone(), scope.task, || {
                let result = if scope.is_in_segment(worker) {
                    run()
                } else {
                    let origin = scope.segment.map_or(Origin::NONE, StackSegment::origin);
                    worker.run_below(NonNull::from(&scope.latch), origin, run)
                };
                if let Err(panic) = result {
                    scope.panicked(panic);
                }
            });
            // SAFETY: the child is counted until this call, and does not use the scope after it.
            unsafe { Self::ended(NonNull::from(scope), scope.is_owner(worker)) };
        };
        // SAFETY: the child borrows for 'scope, and the scope ends only after the child.
        unsafe { HeapJob::allocate(body, worker) }
    }

    fn panicked(&self, panic: Panic) {
        // The first panic is kept. The payload of a later one is dropped outside the lock.
        let mut first = lock(&self.panic);
        let later = if first.is_none() {
            *first = Some(panic);
            None
        } else {
            Some(panic)
        };
        drop(first);
        discard(later);
    }

    /// Whether what `worker` forks now is below this scope: it opened the scope, or runs a child of
    /// it. If it runs something deeper, such as the stolen closure of a join, a child forked there
    /// could be taken by the waiter of that join, although it is not below it.
    #[inline]
    fn is_near(&self, worker: &Worker) -> bool {
        self.is_in_segment(worker) || worker.is_below(&self.latch)
    }

    /// Whether `worker` runs the job that opened the scope.
    #[inline]
    fn is_in_segment(&self, worker: &Worker) -> bool {
        self.segment.is_some_and(|segment| worker.is_in(segment))
    }

    /// Whether the scope was opened by `worker`, of the same pool.
    fn is_owner(&self, worker: &Worker) -> bool {
        self.segment.is_some_and(|segment| segment.is_of(worker))
    }

    /// A child has ended, on the owner or not.
    ///
    /// # Safety
    ///
    /// The caller was counted, and does not use the scope after this: it may be freed.
    #[allow(
        unsafe_code,
        reason = "the scope may be gone when another child sets its latch"
    )]
    unsafe fn ended(this: NonNull<Self>, by_owner: bool) {
        // SAFETY: the caller is counted, so the scope lives. Pointers, because it may be freed
        // before this call returns.
        let pending = unsafe { &raw const (*this.as_ptr()).pending };
        // SAFETY: as above.
        let latch = unsafe { NonNull::from(&(*this.as_ptr()).latch) };
        // SAFETY: as above.
        let outside = unsafe { (*this.as_ptr()).outside.as_ref() }.map(NonNull::from);
        // SAFETY: as above.
        if unsafe { (*pending).ended(by_owner) } {
            match outside {
                // SAFETY: this call was the last to be counted. The waiter frees the scope only
                // when it sees the latch set, and its parker lives as long as the pool.
                None => unsafe { Latch::set(latch) },
                // SAFETY: as above, with the latch that the other thread waits for.
                Some(outside) => unsafe { Outside::signal(outside) },
            }
        }
    }

    /// Runs `body` and then all children, on `worker`.
    pub(crate) fn run<F, R>(worker: &Worker, order: Order, body: F) -> R
    where
        F: FnOnce(&Scope<'scope>) -> R,
    {
        let mut scope = Self::new(worker.shared(), order);
        scope.segment = Some(worker.segment());
        scope.call = worker.call();
        scope.task = worker.task();
        let base = worker.position();
        let mut recorded = record::OpenScope::begin::<F>();
        let result = panic::catch_unwind(AssertUnwindSafe(|| body(&scope)));
        recorded.body_ended();
        worker.run_from(base);
        if !scope.pending.merge() {
            worker.finish_scope(&scope.latch, base);
        }
        recorded.end();
        scope.conclude(result)
    }

    /// Runs `body` on this thread, worker or not, and waits for all children, which the workers of
    /// the pool run.
    pub(crate) fn run_in_place<F, R>(shared: &Arc<PoolShared>, order: Order, body: F) -> R
    where
        F: FnOnce(&Scope<'scope>) -> R,
    {
        let worker = match Worker::current() {
            Some(worker) if worker.is_of(shared) => return Self::run(worker, order, body),
            worker => worker,
        };
        let recorded = record::Entry::begin_here::<F>();
        let run = recorded.wrap(|| Self::run_outside(worker, shared, order, body));
        run()
    }

    fn run_outside<F, R>(
        worker: Option<&Worker>,
        shared: &Arc<PoolShared>,
        order: Order,
        body: F,
    ) -> R
    where
        F: FnOnce(&Scope<'scope>) -> R,
    {
        let mut scope = Self::new(shared, order);
        scope.call = worker.map(Worker::new_call);
        scope.outside = Some(match worker {
            Some(worker) => Outside::Worker(CrossLatch::new(Arc::clone(worker.shared()))),
            None => Outside::Thread(BlockingLatch::new()),
        });
        let mut recorded = record::OpenScope::begin::<F>();
        let result = panic::catch_unwind(AssertUnwindSafe(|| body(&scope)));
        recorded.body_ended();
        if !scope.pending.merge() {
            match (&scope.outside, worker) {
                (Some(Outside::Worker(latch)), Some(worker)) => {
                    let call = scope.call.as_ref();
                    worker
                        .wait_outside(latch.latch(), call.map_or(Awaited::Nothing, Awaited::Call));
                }
                (Some(Outside::Thread(latch)), _) => {
                    let mut backoff = shared.caller_backoff();
                    latch.wait(|| backoff.pause());
                }
                _ => unreachable!("a worker waits as a worker"),
            }
        }
        recorded.end();
        scope.conclude(result)
    }

    fn new(shared: &Arc<PoolShared>, order: Order) -> Self {
        let fifos = match order {
            Order::Stack => 0,
            Order::Spawns => shared.seats.capacity(),
        };
        Self {
            latch: Latch::new(),
            pending: Pending::new(),
            panic: Mutex::new(None),
            shared: Arc::clone(shared),
            segment: None,
            outside: None,
            call: None,
            task: TaskId::NONE,
            fifos: (0..fifos).map(|_| Fifo::new()).collect(),
            lifetime: PhantomData,
        }
    }

    /// Returns or resumes what came of the scope, once all children have ended.
    fn conclude<R>(&self, result: std::thread::Result<R>) -> R {
        let child = lock(&self.panic).take();
        match (result, child) {
            (Ok(result), None) => result,
            (Ok(_), Some(panic)) => panic::resume_unwind(panic),
            // The panic of the body is the one that the caller would get without children.
            (Err(panic), unwanted) => {
                discard(unwanted);
                panic::resume_unwind(panic)
            }
        }
    }
}

/// The order in which a worker runs the children of a scope that are not stolen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// The newest first.
    Stack,
    /// As they were spawned; see [`Scope::spawn_fifo`].
    Spawns,
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}

/// The address of a scope, for a child on another thread. `get` restores the lifetime.
struct ScopePointer(NonNull<Scope<'static>>);

#[allow(unsafe_code, reason = "the pointer is shared with other threads")]
// SAFETY: many threads may use a `Scope` at once, since they may use all its fields.
unsafe impl Send for ScopePointer {}

impl ScopePointer {
    /// # Safety
    ///
    /// The scope was a `Scope<'scope>`, and lives.
    #[allow(unsafe_code, reason = "see above")]
    unsafe fn get<'a, 'scope>(&self) -> &'a Scope<'scope> {
        // SAFETY: promised by the caller; lifetimes do not change the layout.
        unsafe { self.0.cast::<Scope<'scope>>().as_ref() }
    }
}
