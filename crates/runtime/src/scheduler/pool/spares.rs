//! Spare threads: they run what there is to do while a worker waits or blocks.

use super::shared::PoolShared;
use super::start::{Handler, WorkerStart};
use crate::sync::{Arc, Mutex, lock, thread};

/// How spare threads are started, and those that have been.
pub(super) struct Spares {
    /// The names of the workers' threads, if they have any: the first spare one is named as the
    /// first worker is.
    names: Mutex<Vec<Option<String>>>,
    stack_size: Option<usize>,
    handlers: (Option<Handler>, Option<Handler>),
    threads: Mutex<Vec<thread::JoinHandle<()>>>,
}

impl Spares {
    pub(super) fn new(
        stack_size: Option<usize>,
        handlers: (Option<Handler>, Option<Handler>),
    ) -> Self {
        Self {
            names: Mutex::new(Vec::new()),
            stack_size,
            handlers,
            threads: Mutex::new(Vec::new()),
        }
    }

    /// The next worker's thread has this name.
    pub(super) fn add_name(&self, name: Option<String>) {
        lock(&self.names).push(name);
    }

    /// The threads that have been started, for the pool to wait for.
    pub(super) fn take_threads(&self) -> Vec<thread::JoinHandle<()>> {
        core::mem::take(&mut *lock(&self.threads))
    }
}

impl PoolShared {
    /// Starts a spare thread, which searches. False if there are to be no more, or the system gives
    /// none.
    pub(super) fn start_spare(self: &Arc<Self>) -> bool {
        if !self.sleep.begin_start() {
            return false;
        }
        // One at a time: the seats are numbered.
        let mut threads = lock(&self.spares.threads);
        let (index, deque) = self.seats.add(self.sleep.tally());
        let start = WorkerStart::new(deque, Arc::clone(self), index, self.spares.handlers.clone());
        let mut builder = thread::Builder::new();
        let names = lock(&self.spares.names);
        let name = names.get(index % self.workers()).cloned().flatten();
        drop(names);
        if let Some(name) = name {
            builder = builder.name(name);
        }
        if let Some(bytes) = self.spares.stack_size {
            builder = builder.stack_size(bytes);
        }
        // If it fails, the start is dropped, which says that this thread is not active.
        let thread = builder.spawn(|| start.run());
        let started = thread.is_ok();
        threads.extend(thread);
        drop(threads);
        if !started {
            self.sleep.start_failed();
        }
        started
    }
}
