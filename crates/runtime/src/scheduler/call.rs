//! Calls from pool to pool, and why they cannot deadlock.
//!
//! A worker that calls another pool blocks, and the other pool may call back. If all workers of a
//! pool are blocked like this, one of them has to serve a call on top of its waiting frames. These
//! frames cannot go on before that call has ended, so it must not serve just any call. Two calls
//! could come to lie beneath each other's parts on two stacks, and neither would ever end. A
//! blocked worker serves
//!
//! * calls made within the very call that it waits for, which have to be done anyway; and
//! * calls that belong to an *older* chain of calls than its own.
//!
//! A share of a broadcast from another pool is such a call, even for a worker that waits for a
//! child: the broadcast cannot end before it either. Shares of the worker's own chain are served
//! too: two calls of one chain may broadcast to each other's workers. A share that belongs to no
//! call was sent by a thread outside every pool, or by a plain job of this one. It is always
//! served, and runs as a part of the call for which the worker runs, if there is one.
//!
//! Along a cycle of "cannot go on before" the chains would get ever older, so there is no cycle.
//! Every blocked worker serves the oldest chain of all, so some call always goes on.

use filch_deque::Position;

use std::sync::atomic::AtomicU64;

use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Arc, Mutex, lock};

/// A call from one pool to another, and the call within which it was made.
pub(crate) struct Call {
    within: Option<Arc<Call>>,
    /// The age of its chain: the number of the outermost call.
    chain: u64,
}

impl Call {
    pub(crate) fn new(within: Option<Arc<Self>>) -> Arc<Self> {
        static CHAINS: AtomicU64 = AtomicU64::new(0);
        // Ordering: the numbers only have to differ.
        let chain = within.as_ref().map_or_else(
            || CHAINS.fetch_add(1, Ordering::Relaxed),
            |within| within.chain,
        );
        Arc::new(Self { within, chain })
    }

    /// Whether a worker may serve this call while it waits for `awaited` (`None` if that is no
    /// call) within `around`.
    pub(crate) fn may_interrupt(
        self: &Arc<Self>,
        awaited: Option<&Arc<Self>>,
        around: Option<&Arc<Self>>,
    ) -> bool {
        let own = awaited.or(around);
        awaited.is_some_and(|awaited| self.is_within(awaited))
            || own.is_none_or(|own| self.chain < own.chain)
    }

    /// Whether the two calls belong to one chain.
    pub(crate) fn is_of_chain_of(&self, other: &Self) -> bool {
        self.chain == other.chain
    }

    /// Whether this call is `other` or was made within it.
    fn is_within(self: &Arc<Self>, other: &Arc<Self>) -> bool {
        let mut calls = core::iter::successors(Some(self), |call| call.within.as_ref());
        calls.any(|call| Arc::ptr_eq(call, other))
    }
}

/// The calls on whose behalf a worker runs. What lies in its deque above the position of an entry
/// was forked within that call.
pub(crate) struct Calls {
    entered: Mutex<Vec<(Position, Arc<Call>)>>,
    /// Whether there are any, which is rare.
    any: AtomicBool,
}

impl Calls {
    pub(crate) fn new() -> Self {
        Self {
            entered: Mutex::new(Vec::new()),
            any: AtomicBool::new(false),
        }
    }

    /// The worker's deque is at `position`, and it begins to run for `call`.
    pub(crate) fn enter(&self, position: Position, call: Arc<Call>) {
        lock(&self.entered).push((position, call));
        // Ordering: Release pairs with the load in `find`. A job that is forked within the call is
        // published later.
        self.any.store(true, Ordering::Release);
    }

    /// The worker has finished the call that it entered last.
    pub(crate) fn leave(&self) {
        let mut entered = lock(&self.entered);
        let left = entered.pop();
        self.any.store(!entered.is_empty(), Ordering::Release);
        drop(entered);
        drop(left);
    }

    /// The call for which the worker runs.
    pub(crate) fn current(&self) -> Option<Arc<Call>> {
        self.find(|_| true)
    }

    /// The call within which the job at `position` was forked.
    pub(crate) fn at(&self, position: Position) -> Option<Arc<Call>> {
        self.find(|base| base < position)
    }

    fn find(&self, covers: impl Fn(Position) -> bool) -> Option<Arc<Call>> {
        // Ordering: Acquire pairs with the stores above.
        if !self.any.load(Ordering::Acquire) {
            return None;
        }
        let entered = lock(&self.entered);
        let found = entered.iter().rev().find(|(base, _)| covers(*base));
        found.map(|(_, call)| Arc::clone(call))
    }
}
