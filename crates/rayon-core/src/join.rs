//! Joins: two closures that may run in parallel.

use core::marker::PhantomData;

use filch::internals;

use crate::global::global;

/// Runs both closures, in parallel if another worker is free, and returns their results.
///
/// Outside every pool, both run on the global one.
///
/// ```
/// let (a, b) = rayon_core::join(|| 1 + 1, || "two".len());
/// assert_eq!((a, b), (2, 3));
/// ```
///
/// # Panics
///
/// With the payload of a closure that panics, after the other has ended; with that of the first if
/// both panic.
#[inline]
pub fn join<A, B, RA, RB>(oper_a: A, oper_b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    internals::join_context(|_| oper_a(), |_| oper_b(), global)
}

/// [`join`], whose closures can ask whether they were [stolen](FnContext::migrated).
///
/// ```
/// let (a, b) = rayon_core::join_context(|context| context.migrated(), |_| ());
/// assert!(a, "the first is another thread's too if the caller is no worker");
/// # let () = b;
/// ```
#[inline]
pub fn join_context<A, B, RA, RB>(oper_a: A, oper_b: B) -> (RA, RB)
where
    A: FnOnce(FnContext) -> RA + Send,
    B: FnOnce(FnContext) -> RB + Send,
    RA: Send,
    RB: Send,
{
    let oper_a = |migrated| oper_a(FnContext::new(migrated));
    let oper_b = |migrated| oper_b(FnContext::new(migrated));
    internals::join_context(oper_a, oper_b, global)
}

/// What a closure of [`join_context`] can ask.
#[derive(Debug)]
pub struct FnContext {
    migrated: bool,
    /// The answer holds for this thread, so the context must not leave it.
    here: PhantomData<*mut ()>,
}

impl FnContext {
    #[inline]
    fn new(migrated: bool) -> Self {
        Self {
            migrated,
            here: PhantomData,
        }
    }

    /// Whether the closure runs on another thread than the one that called [`join_context`]. Then
    /// thieves look for work, and splitting once more pays. Never in a
    /// [deterministic](crate::ThreadPoolBuilder::deterministic) pool, where no division of work may
    /// depend on thieves.
    #[inline]
    pub fn migrated(&self) -> bool {
        self.migrated && !internals::is_deterministic()
    }
}
