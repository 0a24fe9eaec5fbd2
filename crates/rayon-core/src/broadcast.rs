//! Work for every worker.

use filch::BroadcastContext;

use crate::global::current;

/// Runs `op` on every worker of the current pool, and returns the results in the order of the workers.
///
/// A worker comes to its share when it has run what it had to do before. It also does when it waits, on top
/// of what it waits in.
///
/// ```
/// let workers = rayon_core::broadcast(|context| context.index());
/// assert!(workers.into_iter().eq(0..rayon_core::current_num_threads()));
/// ```
///
/// # Panics
///
/// With the payload of one of the shares that do, after all have ended.
pub fn broadcast<OP, R>(op: OP) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    current(|pool| pool.broadcast(op))
}

/// Sends `op` to every worker of the current pool and returns at once.
///
/// A panic goes to the pool's panic handler; without one, the process ends.
pub fn spawn_broadcast<OP>(op: OP)
where
    OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
{
    current(|pool| pool.spawn_broadcast(op));
}
