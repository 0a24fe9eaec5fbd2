//! Calls from pool to pool, and why they cannot deadlock.
//!
//! A worker that calls another pool blocks, and the other pool may call back. If all workers of a
//! pool are blocked like this, one of them has to serve a call on top of its waiting frames. These
//! frames cannot go on before that call has ended, so it must not serve just any call. Two calls
//! could come to lie beneath each other's parts on two stacks, and neither would ever end. A
//! blocked worker serves
//!
//! * calls that are [needed](super::needs) by the very call, task or pool that it waits for, which
//!   have to be done anyway; and
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

use super::needs::{Activity, Awaited, TaskId};
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::{Arc, Mutex, lock};

/// A call from one pool to another, and the activity within which it was made.
pub(crate) struct Call {
    maker: Activity,
    /// The age of its chain: the number of the outermost call.
    chain: u64,
}

impl Call {
    pub(crate) fn new(maker: Activity) -> Arc<Self> {
        static CHAINS: AtomicU64 = AtomicU64::new(0);
        // Ordering: the numbers only have to differ.
        let chain = maker.call.as_ref().map_or_else(
            || CHAINS.fetch_add(1, Ordering::Relaxed),
            |within| within.chain,
        );
        Arc::new(Self { maker, chain })
    }

    pub(crate) fn maker(&self) -> &Activity {
        &self.maker
    }

    /// Whether a worker may serve this call while it waits for `awaited` within `around`.
    pub(crate) fn may_interrupt(
        self: &Arc<Self>,
        awaited: Awaited<'_>,
        around: Option<&Arc<Self>>,
    ) -> bool {
        let own = awaited.call().or(around);
        own.is_none_or(|own| self.chain < own.chain) || self.is_needed_by(awaited)
    }

    fn is_needed_by(self: &Arc<Self>, awaited: Awaited<'_>) -> bool {
        let is_awaited = |call: &Arc<Self>| Arc::ptr_eq(self, call);
        awaited.call().is_some_and(is_awaited) || self.maker.is_needed_by(awaited)
    }

    /// Whether the two calls belong to one chain.
    pub(crate) fn is_of_chain_of(&self, other: &Self) -> bool {
        self.chain == other.chain
    }
}

/// The calls on whose behalf a worker runs. What lies in its deque above the position of an entry
/// was forked within that call.
pub(crate) struct Calls {
    entered: Mutex<Vec<Entered>>,
    /// Whether there are any, which is rare.
    any: AtomicBool,
    /// The task that the worker runs within the innermost call, or within no call.
    task: AtomicUsize,
}

struct Entered {
    position: Position,
    call: Arc<Call>,
    /// The task within which the call is run, on top of its frames.
    beneath: TaskId,
}

impl Calls {
    pub(crate) fn new() -> Self {
        Self {
            entered: Mutex::new(Vec::new()),
            any: AtomicBool::new(false),
            task: AtomicUsize::new(TaskId::NONE.number()),
        }
    }

    /// The task that the worker runs.
    pub(crate) fn task(&self) -> TaskId {
        // Ordering: written by the worker itself. A thief that reads too late learns of no task, or
        // of another: then a call may have to wait that need not.
        TaskId::from_number(self.task.load(Ordering::Relaxed))
    }

    /// The worker begins with this task, or goes on with it. Returns the one before.
    pub(crate) fn set_task(&self, task: TaskId) -> TaskId {
        let before = self.task();
        if task != TaskId::SAME && task != before {
            self.task.store(task.number(), Ordering::Relaxed);
        }
        before
    }

    /// The worker's deque is at `position`, and it begins to run for `call`.
    pub(crate) fn enter(&self, position: Position, call: Arc<Call>, task: TaskId) {
        let beneath = self.task();
        lock(&self.entered).push(Entered {
            position,
            call,
            beneath,
        });
        // Ordering: Release pairs with the load in `at`. A job that is forked within the call is
        // published later.
        self.any.store(true, Ordering::Release);
        self.set_task(task);
    }

    /// The worker has finished the call that it entered last.
    pub(crate) fn leave(&self) {
        let mut entered = lock(&self.entered);
        let left = entered.pop();
        self.any.store(!entered.is_empty(), Ordering::Release);
        drop(entered);
        if let Some(left) = left {
            self.set_task(left.beneath);
        }
    }

    /// The call for which the worker runs.
    pub(crate) fn current(&self) -> Option<Arc<Call>> {
        self.find(|_| true).0
    }

    /// The call and the task within which the job at `position` was forked.
    pub(crate) fn at(&self, position: Position) -> (Option<Arc<Call>>, TaskId) {
        self.find(|base| base < position)
    }

    fn find(&self, covers: impl Fn(Position) -> bool) -> (Option<Arc<Call>>, TaskId) {
        // Ordering: Acquire pairs with the stores above.
        if !self.any.load(Ordering::Acquire) {
            return (None, self.task());
        }
        let entered = lock(&self.entered);
        let mut task = self.task();
        for entry in entered.iter().rev() {
            if covers(entry.position) {
                return (Some(Arc::clone(&entry.call)), task);
            }
            task = entry.beneath;
        }
        (None, task)
    }
}
