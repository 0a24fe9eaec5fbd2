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
    fn set(&self, worker: *const Worker) {
        // SAFETY: null, or a worker that lives while it is the current one.
        let deque = unsafe { worker.as_ref() }.map_or(ptr::null(), |worker| &*worker.deque);
        self.deque.set(deque);
        self.worker.set(worker);
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

    /// # Panics
    ///
    /// If the current thread is a worker, of any pool. The frames of that worker wait for jobs that
    /// other threads run, and would not find their worker again.
    pub(crate) fn assert_none_here() {
        assert!(
            Self::current().is_none(),
            "this thread is a worker of a pool already: run the worker on a thread of its own"
        );
    }

    /// Makes this the worker of the current thread while `work` runs.
    ///
    /// # Panics
    ///
    /// If the thread is a worker already.
    pub(crate) fn on_this_thread(&self, work: impl FnOnce(&Self)) {
        struct Reset;
        impl Drop for Reset {
            fn drop(&mut self) {
                CURRENT.with(|current| current.set(ptr::null()));
            }
        }
        Self::assert_none_here();
        let _reset = Reset;
        CURRENT.with(|current| current.set(self));
        work(self);
    }

    /// Makes this the worker of the current thread until the process ends.
    ///
    /// # Panics
    ///
    /// If the thread is a worker already.
    pub(crate) fn keep_on_this_thread(self) {
        Self::assert_none_here();
        let worker: &'static Self = Box::leak(Box::new(self));
        CURRENT.with(|current| current.set(worker));
    }
}

/// The bottom of the deque of the current thread's worker.
#[inline(always)]
pub(crate) fn current_deque<'a>() -> Option<&'a Bottom<JobHead>> {
    let deque = CURRENT.with(|current| current.deque.get());
    // SAFETY: as in `Worker::current`. The deque belongs to that worker.
    unsafe { deque.as_ref() }
}

/// The worker of the current thread, for a caller that uses its deque. The caller has a frame that
/// other threads may write into, so a thread that is no worker any more must not unwind from here.
pub(super) fn here<'a>() -> &'a Worker {
    Worker::current().unwrap_or_else(|| gone())
}

#[cold]
#[expect(clippy::print_stderr, reason = "the process ends here")]
fn gone() -> ! {
    eprintln!("filch: the thread of a join is no worker any more");
    std::process::abort();
}
