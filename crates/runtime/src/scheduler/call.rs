//! Calls from pool to pool, and why they cannot deadlock.
//!
//! A worker that calls another pool blocks, and the other pool may call back. If all workers of a
//! pool are blocked like this, one of them has to serve a call on top of its waiting frames. These
//! frames cannot go on before that call has ended, so it must not serve just any call. Two calls
//! could come to lie beneath each other's parts on two stacks, and neither would ever end.
//!
//! So all calls are in one order. A call *precedes* another if it was made within it, directly or
//! not. Of two calls of which neither is within the other, the one precedes whose branch is older:
//! below the innermost call that contains both, the one that was made first. That is a total order.
//! A worker that waits for a call serves those that precede it, and the call itself. A worker that
//! waits for something else within a call serves those that precede that call. If that is a task or
//! the end of a pool, it also serves the calls that are [needed](super::needs) for it, which have to
//! be done anyway. They run as calls within its own, as below.
//!
//! A job that *yields* lets anything run on top of its frames, also a part of a call that does not
//! precede its own. That part then runs as a call within the call beneath it
//! ([`on_top_of`](Call::on_top_of)): what it calls is needed by both, and inherits the better place
//! in the order. The part had not begun before, so no other frame relied on its old place.
//!
//! A share of a broadcast from another pool is a call, even for a worker that waits for a child:
//! the broadcast cannot end before it either. A share that belongs to no call was sent by a thread
//! outside every pool, or by a plain job of this one. It is always served, and runs as a part of
//! the call for which the worker runs, if there is one.
//!
//! **No cycle.** A frame of a call cannot go on before the calls that it has made and what lies on
//! top of it have ended. By the rules above all of these precede its call. So along a chain of
//! "cannot go on before" each call precedes the one before it, and there is no cycle.
//!
//! **Some call goes on.** Take the first call in the order that has not ended. Nothing that it
//! waits for has been started and not ended, since that would precede it. If it was started, it
//! runs. If it waits in a queue, every worker of that pool that waits for another pool may serve
//! it; the other workers run, or wait for a job that one of these runs.

use filch_deque::Position;

use std::sync::atomic::AtomicU64;

use super::needs::{Activity, Awaited, TaskId};
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::{Arc, Mutex, lock};

/// A call from one pool to another, and the activity within which it was made.
pub(crate) struct Call {
    maker: Activity,
    /// How many calls there are around it.
    depth: usize,
    /// The number of calls that were made before it.
    number: u64,
}

impl Call {
    pub(crate) fn new(maker: Activity) -> Arc<Self> {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        // Ordering: the numbers only have to differ.
        let number = CALLS.fetch_add(1, Ordering::Relaxed);
        let depth = maker.call.as_ref().map_or(0, |within| within.depth + 1);
        Arc::new(Self {
            maker,
            depth,
            number,
        })
    }

    /// The call as which a part of this one runs on top of frames of `beneath`.
    pub(crate) fn on_top_of(self: Arc<Self>, beneath: Option<Arc<Self>>) -> Arc<Self> {
        if self.may_interrupt(beneath.as_ref()) {
            self
        } else {
            // It is needed by what needed it before.
            Self::new(Activity {
                call: beneath,
                task: self.maker.task,
                pool: self.maker.pool.clone(),
            })
        }
    }

    pub(crate) fn maker(&self) -> &Activity {
        &self.maker
    }

    fn within(&self) -> Option<&Arc<Self>> {
        self.maker.call.as_ref()
    }

    /// Whether a worker may serve this call while it waits for `awaited` within the call `around`.
    pub(crate) fn may_be_served(
        self: &Arc<Self>,
        awaited: Awaited<'_>,
        around: Option<&Arc<Self>>,
    ) -> bool {
        self.may_interrupt(awaited.call().or(around)) || self.maker.is_needed_by(awaited)
    }

    /// Whether a worker may serve this call while it waits for `other`, or for something else
    /// within `other`. `None` is no call at all.
    pub(crate) fn may_interrupt(self: &Arc<Self>, other: Option<&Arc<Self>>) -> bool {
        other.is_none_or(|other| self.is_or_precedes(other))
    }

    fn is_or_precedes(self: &Arc<Self>, other: &Arc<Self>) -> bool {
        let (mut own, mut theirs) = (
            self.around(self.depth.min(other.depth)),
            other.around(self.depth.min(other.depth)),
        );
        if Arc::ptr_eq(own, theirs) {
            // One is within the other.
            return self.depth >= other.depth;
        }
        while let (Some(own_outer), Some(their_outer)) = (own.within(), theirs.within()) {
            if Arc::ptr_eq(own_outer, their_outer) {
                break;
            }
            (own, theirs) = (own_outer, their_outer);
        }
        own.number < theirs.number
    }

    /// The call at `depth` that contains this one, or is it.
    fn around(self: &Arc<Self>, depth: usize) -> &Arc<Self> {
        let mut calls = core::iter::successors(Some(self), |call| call.within());
        let around = calls.find(|call| call.depth == depth);
        around.expect("a call of a greater depth lies within one of each smaller depth")
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
    #[inline]
    pub(crate) fn task(&self) -> TaskId {
        // Ordering: written by the worker itself. A thief that reads too late learns of no task, or
        // of another: then a call may have to wait that need not.
        TaskId::from_number(self.task.load(Ordering::Relaxed))
    }

    /// The worker begins with this task, or goes on with it.
    pub(crate) fn set_task(&self, task: TaskId) {
        if task != TaskId::SAME {
            self.task.store(task.number(), Ordering::Relaxed);
        }
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

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;

    fn made(call: Option<Arc<Call>>) -> Arc<Call> {
        Call::new(Activity {
            call,
            task: TaskId::NONE,
            pool: None,
        })
    }

    fn within(call: &Arc<Call>) -> Arc<Call> {
        made(Some(Arc::clone(call)))
    }

    #[test]
    fn calls_within_another_precede_it_and_older_branches_precede_younger_ones() {
        let first = made(None);
        let second = made(None);
        let (left, right) = (within(&first), within(&first));
        let (below_left, below_right) = (within(&left), within(&right));
        // In their order.
        let order = [&below_left, &left, &below_right, &right, &first, &second];
        for (place, call) in order.iter().enumerate() {
            for (other_place, other) in order.iter().enumerate() {
                assert_eq!(
                    call.may_interrupt(Some(other)),
                    place <= other_place,
                    "{place} and {other_place}"
                );
            }
        }
        assert!(second.may_interrupt(None));
    }

    #[test]
    fn a_part_on_top_of_an_older_call_inherits_its_place() {
        let (older, younger) = (made(None), made(None));
        let part = Arc::clone(&younger).on_top_of(Some(Arc::clone(&older)));
        let deeper = within(&part);
        for waits_for in [&older, &younger] {
            assert!(deeper.may_interrupt(Some(waits_for)));
        }
        let same = Arc::clone(&older).on_top_of(Some(Arc::clone(&younger)));
        assert!(Arc::ptr_eq(&same, &older));
        assert!(Arc::ptr_eq(&Arc::clone(&older).on_top_of(None), &older));
    }
}
