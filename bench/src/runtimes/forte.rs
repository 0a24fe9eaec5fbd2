//! forte's pools are statics: one, with as many threads as a measurement wants.

use forte::{ThreadPool, Worker};

static POOL: ThreadPool = ThreadPool::new();

/// The pool while it has threads; dropping this ends them.
#[derive(Debug)]
pub(crate) struct Populated(());

impl Populated {
    /// Gives the pool `threads` threads of its own.
    pub(crate) fn with(threads: usize) -> Populated {
        POOL.resize_to(threads);
        Populated(())
    }

    /// Runs `f` on this thread, as a member of the pool.
    pub(crate) fn enter<R>(&self, f: impl FnOnce(&Worker) -> R) -> R {
        POOL.with_worker(f)
    }

    /// Hands over a job from outside.
    pub(crate) fn spawn(&self, job: impl FnOnce() + Send + 'static) {
        POOL.spawn(move |_: &Worker| job());
    }
}

impl Drop for Populated {
    fn drop(&mut self) {
        POOL.depopulate();
    }
}
