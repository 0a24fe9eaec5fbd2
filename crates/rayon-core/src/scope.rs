//! Scopes: children that borrow from the frame that waits for them.

use filch::Scope;
use filch::internals::ScopeFifo;

use crate::global::current;

/// Runs `op` on a worker of the current pool, and returns when it and all children that were
/// spawned into the [`Scope`] have ended.
///
/// ```
/// let mut squares = [1, 2, 3];
/// rayon_core::scope(|s| {
///     for number in &mut squares {
///         s.spawn(|_| *number *= *number);
///     }
/// });
/// assert_eq!(squares, [1, 4, 9]);
/// ```
///
/// # Panics
///
/// With the payload of `op`, or else of the first child that panics, after all children have ended.
pub fn scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R + Send,
    R: Send,
{
    current(|pool| pool.install(|| pool.in_place_scope(op)))
}

/// [`scope`] whose children begin in the order in which a worker spawned them, unless they are
/// stolen.
pub fn scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
    R: Send,
{
    current(|pool| pool.install(|| pool.in_place_scope_fifo(op)))
}

/// [`scope`] whose closure runs on the calling thread, even if that is no worker.
pub fn in_place_scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R,
{
    current(|pool| pool.in_place_scope(op))
}

/// [`scope_fifo`] whose closure runs on the calling thread, even if that is no worker.
pub fn in_place_scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R,
{
    current(|pool| pool.in_place_scope_fifo(op))
}
