//! Scopes whose children begin in the order of their spawns.

use core::fmt;

use crate::scheduler::broadcast::BroadcastContext;
use crate::scheduler::scope::Scope;

/// A [`Scope`] with an order: children that one worker spawns begin in the order of their spawns,
/// unless they are stolen.
#[repr(transparent)]
pub struct ScopeFifo<'scope> {
    scope: Scope<'scope>,
}

impl<'scope> ScopeFifo<'scope> {
    /// The same scope, which was opened with an order.
    #[allow(unsafe_code, reason = "one type is seen as the other")]
    pub(crate) fn of<'a>(scope: &'a Scope<'scope>) -> &'a Self {
        let scope = core::ptr::from_ref(scope).cast::<Self>();
        // SAFETY: a `ScopeFifo` is a `Scope` (it is transparent), and this one lives for 'a.
        unsafe { &*scope }
    }

    /// Starts a child that may run on any worker, and may itself spawn into the scope.
    pub fn spawn_fifo<F>(&self, child: F)
    where
        F: FnOnce(&ScopeFifo<'scope>) + Send + 'scope,
    {
        self.scope.spawn_fifo(|scope| child(Self::of(scope)));
    }

    /// Starts a child on every worker of the pool. Each worker runs its own when it has nothing
    /// else to do, or while it waits.
    pub fn spawn_broadcast<F>(&self, child: F)
    where
        F: Fn(&ScopeFifo<'scope>, BroadcastContext<'_>) + Send + Sync + 'scope,
    {
        self.scope
            .spawn_broadcast(move |scope, worker| child(Self::of(scope), worker));
    }
}

impl fmt::Debug for ScopeFifo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopeFifo").finish_non_exhaustive()
    }
}
