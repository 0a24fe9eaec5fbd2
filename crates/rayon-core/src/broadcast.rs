//! Work for every worker.

use filch::BroadcastContext;

use crate::global::current;

/// Runs `op` on every worker of the current pool, and returns the results in the order of the
/// workers.
///
/// A worker runs its share after the work that it had before. A worker that waits runs it on top of
/// the waiting frames.
///
/// ```
/// let workers = rayon_core::broadcast(|context| context.index());
/// assert!(workers.into_iter().eq(0..rayon_core::current_num_threads()));
/// ```
///
/// # Panics
///
/// With the payload of one of the shares that panic, after all shares have ended.
pub fn broadcast<OP, R>(op: OP) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    current(|pool| pool.broadcast(op))
}

/// Sends `op` to every worker of the current pool and returns at once.
///
/// A panic goes to the pool's panic handler; without one, the process aborts.
pub fn spawn_broadcast<OP>(op: OP)
where
    OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
{
    current(|pool| pool.spawn_broadcast(op));
}
