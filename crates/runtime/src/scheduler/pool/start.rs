//! A worker that was not started.

use filch_deque::Owner;

use super::PoolShared;
use super::ending::Alive;
use crate::scheduler::job::JobHead;
use crate::scheduler::worker::Worker;
use crate::sync::Arc;

pub(super) type Handler = Arc<dyn Fn(usize) + Send + Sync>;

/// A worker without a thread, to be [run](Self::run) on one.
pub struct WorkerStart {
    /// `None` once the worker was started.
    parts: Option<Parts>,
    name: Option<String>,
    stack_size: Option<usize>,
    index: usize,
}

struct Parts {
    deque: Owner<JobHead>,
    shared: Arc<PoolShared>,
    start: Option<Handler>,
    exit: Option<Handler>,
}

impl WorkerStart {
    pub(super) fn new(
        deque: Owner<JobHead>,
        shared: Arc<PoolShared>,
        index: usize,
        (start, exit): (Option<Handler>, Option<Handler>),
    ) -> Self {
        let parts = Parts {
            deque,
            shared,
            start,
            exit,
        };
        Self {
            parts: Some(parts),
            name: None,
            stack_size: None,
            index,
        }
    }

    /// To be kept by its thread until it ends.
    pub(super) fn alive(&self) -> Option<Alive> {
        let parts = self.parts.as_ref()?;
        Some(Alive::of(&parts.shared))
    }

    /// Its deque, for another attempt. The worker is not counted as absent.
    pub(super) fn into_deque(mut self) -> Option<Owner<JobHead>> {
        self.parts.take().map(|parts| parts.deque)
    }

    pub(super) fn named(self, name: Option<String>, stack_size: Option<usize>) -> Self {
        let mut named = self;
        (named.name, named.stack_size) = (name, stack_size);
        named
    }

    /// The index of the worker.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The name that its thread should have.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The stack size that its thread should have, in bytes.
    pub fn stack_size(&self) -> Option<usize> {
        self.stack_size
    }

    /// Works on this thread until the pool is dropped and all is done.
    ///
    /// # Panics
    ///
    /// If this thread is a worker, of any pool. The pool then goes on without this worker.
    pub fn run(mut self) {
        Worker::assert_none_here();
        let Some(parts) = self.parts.take() else {
            return;
        };
        parts.shared.seats[self.index].mark_started();
        // Not on this thread's stack: if a thread that has borrowed the seat forks the process, the
        // child does not have that stack.
        let worker = Box::new(Worker::new(parts.deque, self.index, parts.shared));
        worker.on_this_thread(|worker| {
            worker.call_handler(parts.start.as_deref());
            worker.work();
            worker.call_handler(parts.exit.as_deref());
            // What the handler spawned.
            worker.work_off();
        });
    }

    /// Makes the current thread the worker until the process ends, and returns. False if it is a
    /// worker already; then the pool goes on without this worker.
    #[must_use]
    pub(super) fn stay(mut self) -> bool {
        if Worker::current().is_some() {
            return false;
        }
        if let Some(parts) = self.parts.take() {
            parts.shared.seats[self.index].mark_started();
            Worker::new(parts.deque, self.index, parts.shared).keep_on_this_thread();
        }
        true
    }
}

impl Drop for WorkerStart {
    /// A worker that never starts: the others end without it.
    fn drop(&mut self) {
        if let Some(parts) = self.parts.take() {
            parts.shared.mark_absent(self.index);
        }
    }
}
