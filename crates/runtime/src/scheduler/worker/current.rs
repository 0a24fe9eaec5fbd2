//! The worker that a thread is.

use core::cell::Cell;
use core::ptr;

use filch_deque::Bottom;

use super::Worker;
use crate::scheduler::job::JobHead;
use crate::sync::thread_local;

thread_local! {
    static CURRENT: Current = const {
        Current {
            deque: Cell::new(ptr::null()),
            worker: Cell::new(ptr::null()),
        }
    };
}

/// The worker that a thread is, if it is one; and its deque, which is all that most forks need.
struct Current {
    deque: Cell<*const Bottom<JobHead>>,
    worker: Cell<*const Worker>,
}

impl Current {
    fn set(&self, worker: Option<&Worker>) {
        self.deque
            .set(worker.map_or(ptr::null(), |worker| &*worker.deque));
        self.worker.set(worker.map_or(ptr::null(), ptr::from_ref));
    }
}

impl Worker {
    /// The worker that the current thread is.
    #[inline]
    pub(crate) fn current<'a>() -> Option<&'a Self> {
        let current = CURRENT.with(|current| current.worker.get());
        // SAFETY: the pointer is set while the worker lives and is this thread's, by a frame below
        // everything that could call this; the reference is not handed out by any public function.
        unsafe { current.as_ref() }
    }

    /// Makes this the current thread's worker while `work` runs.
    pub(crate) fn on_this_thread(&self, work: impl FnOnce(&Self)) {
        struct Reset;
        impl Drop for Reset {
            fn drop(&mut self) {
                CURRENT.with(|current| current.set(None));
            }
        }
        let _reset = Reset;
        CURRENT.with(|current| current.set(Some(self)));
        work(self);
    }

    /// Makes this the current thread's worker for good.
    pub(crate) fn keep_on_this_thread(self) {
        let worker: &'static Self = Box::leak(Box::new(self));
        CURRENT.with(|current| current.set(Some(worker)));
    }
}

/// The deque of the current thread, if that is a worker.
#[inline]
pub(crate) fn current_deque<'a>() -> Option<&'a Bottom<JobHead>> {
    let deque = CURRENT.with(|current| current.deque.get());
    // SAFETY: as in `Worker::current`: the deque is that worker's.
    unsafe { deque.as_ref() }
}

/// The worker whose deque is in the caller's hands.
pub(super) fn here<'a>() -> &'a Worker {
    Worker::current().expect("the deque of a worker is used by that worker")
}
