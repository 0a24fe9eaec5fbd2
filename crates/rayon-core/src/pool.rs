//! A pool of one's own.

use core::fmt;
use std::error::Error;

use filch::internals::{PoolRef, ScopeFifo};
use filch::{BroadcastContext, Pool, Scope};

use crate::join::join;
use crate::yielding::Yield;

/// A set of workers of one's own. Inside [`install`](Self::install), everything in this crate uses
/// them.
///
/// Dropping it returns at once. The threads end when all work that the pool has accepted is done.
pub struct ThreadPool {
    pool: Pool,
}

impl ThreadPool {
    /// The older way to build a pool.
    ///
    /// # Errors
    ///
    /// As [`ThreadPoolBuilder::build`](crate::ThreadPoolBuilder::build).
    #[deprecated(note = "Use `ThreadPoolBuilder::build`")]
    #[allow(deprecated, reason = "it belongs together")]
    pub fn new(configuration: crate::Configuration) -> Result<ThreadPool, Box<dyn Error>> {
        configuration.into_builder().build().map_err(Box::from)
    }

    pub(crate) fn of(pool: Pool) -> Self {
        Self { pool }
    }

    fn pool(&self) -> PoolRef<'_> {
        PoolRef::of(&self.pool)
    }

    /// Runs `op` on a worker of this pool and waits for it. Inside, everything in this crate uses
    /// this pool.
    pub fn install<OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce() -> R + Send,
        R: Send,
    {
        self.pool.install(op)
    }

    /// [`broadcast`](crate::broadcast) on this pool.
    pub fn broadcast<OP, R>(&self, op: OP) -> Vec<R>
    where
        OP: Fn(BroadcastContext<'_>) -> R + Sync,
        R: Send,
    {
        self.pool.broadcast(op)
    }

    /// The number of workers, or the width of a
    /// [deterministic](crate::ThreadPoolBuilder::deterministic) pool.
    #[inline]
    pub fn current_num_threads(&self) -> usize {
        self.pool().width()
    }

    /// The index of the current thread, if it is a worker of this pool.
    #[inline]
    pub fn current_thread_index(&self) -> Option<usize> {
        self.pool().number()
    }

    /// Whether the current thread has work that was not started, if it is a worker of this pool.
    #[inline]
    pub fn current_thread_has_pending_tasks(&self) -> Option<bool> {
        self.pool().has_pending()
    }

    /// [`join`] on this pool.
    pub fn join<A, B, RA, RB>(&self, oper_a: A, oper_b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        self.install(|| join(oper_a, oper_b))
    }

    /// [`scope`](crate::scope()) on this pool.
    pub fn scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&Scope<'scope>) -> R + Send,
        R: Send,
    {
        self.install(|| self.in_place_scope(op))
    }

    /// [`scope_fifo`](crate::scope_fifo) on this pool.
    pub fn scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
        R: Send,
    {
        self.install(|| self.in_place_scope_fifo(op))
    }

    /// [`in_place_scope`](crate::in_place_scope) on this pool.
    pub fn in_place_scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&Scope<'scope>) -> R,
    {
        self.pool().in_place_scope(op)
    }

    /// [`in_place_scope_fifo`](crate::in_place_scope_fifo) on this pool.
    pub fn in_place_scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R,
    {
        self.pool().in_place_scope_fifo(op)
    }

    /// [`spawn`](crate::spawn()) on this pool.
    pub fn spawn<OP>(&self, op: OP)
    where
        OP: FnOnce() + Send + 'static,
    {
        self.pool().spawn(false, op);
    }

    /// [`spawn_fifo`](crate::spawn_fifo) on this pool.
    pub fn spawn_fifo<OP>(&self, op: OP)
    where
        OP: FnOnce() + Send + 'static,
    {
        self.pool().spawn(true, op);
    }

    /// [`spawn_broadcast`](crate::spawn_broadcast) on this pool.
    pub fn spawn_broadcast<OP>(&self, op: OP)
    where
        OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
    {
        self.pool().spawn_broadcast(op);
    }

    /// [`yield_now`](crate::yield_now), if the current thread is a worker of this pool.
    pub fn yield_now(&self) -> Option<Yield> {
        self.pool().run_one(true).map(Yield::of)
    }

    /// [`yield_local`](crate::yield_local), if the current thread is a worker of this pool.
    pub fn yield_local(&self) -> Option<Yield> {
        self.pool().run_one(false).map(Yield::of)
    }
}

impl fmt::Debug for ThreadPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadPool")
            .field("num_threads", &self.current_num_threads())
            .field("id", &self.pool().id())
            .finish()
    }
}
