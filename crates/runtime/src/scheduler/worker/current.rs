//! The worker of the current thread.

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

/// The worker of a thread, null if it has none, and the bottom of that worker's deque, which is all
/// that most forks need.
struct Current {
    deque: Cell<*const Bottom<JobHead>>,
    worker: Cell<*const Worker>,
}

impl Current {
    /// Returns what was set before.
    fn replace(&self, worker: *const Worker) -> *const Worker {
        // SAFETY: null, or a worker that lives while it is the current one.
        let deque = unsafe { worker.as_ref() }.map_or(ptr::null(), |worker| &*worker.deque);
        self.deque.set(deque);
        self.worker.replace(worker)
    }
}

impl Worker {
    /// The worker of the current thread.
    #[inline]
    pub(crate) fn current<'a>() -> Option<&'a Self> {
        let current = CURRENT.with(|current| current.worker.get());
        // SAFETY: the pointer is set by a frame further down this thread's stack, which keeps the
        // worker alive and resets the pointer when it ends. No public function returns the
        // reference.
        unsafe { current.as_ref() }
    }

    /// Makes this the worker of the current thread while `work` runs.
    pub(crate) fn on_this_thread(&self, work: impl FnOnce(&Self)) {
        struct Restore(*const Worker);
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.with(|current| current.replace(self.0));
            }
        }
        let _restore = Restore(CURRENT.with(|current| current.replace(self)));
        work(self);
    }

    /// Makes this the worker of the current thread until the process ends.
    pub(crate) fn keep_on_this_thread(self) {
        let worker: &'static Self = Box::leak(Box::new(self));
        CURRENT.with(|current| current.replace(worker));
    }
}

/// The bottom of the deque of the current thread's worker.
#[inline(always)]
pub(crate) fn current_deque<'a>() -> Option<&'a Bottom<JobHead>> {
    let deque = CURRENT.with(|current| current.deque.get());
    // SAFETY: as in `Worker::current`. The deque belongs to that worker.
    unsafe { deque.as_ref() }
}

/// The worker of the current thread, for a caller that uses its deque.
pub(super) fn here<'a>() -> &'a Worker {
    // Not a panic: it would unwind past frames that other threads use.
    Worker::current().unwrap_or_else(|| std::process::abort())
}
