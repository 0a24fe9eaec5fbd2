//! Threads for workers.

use core::fmt;
use std::io;

use filch::internals::WorkerStart;

/// A worker without a thread. A [spawn handler](crate::ThreadPoolBuilder::spawn_handler) gets one
/// for each worker, and has to [run](Self::run) it on a thread.
pub struct ThreadBuilder {
    worker: WorkerStart,
}

impl ThreadBuilder {
    pub(crate) fn new(worker: WorkerStart) -> Self {
        Self { worker }
    }

    /// The index of the worker.
    pub fn index(&self) -> usize {
        self.worker.index()
    }

    /// The name that was configured.
    pub fn name(&self) -> Option<&str> {
        self.worker.name()
    }

    /// The stack size that was configured.
    pub fn stack_size(&self) -> Option<usize> {
        self.worker.stack_size()
    }

    /// Works on this thread until the pool is dropped and all its work is done.
    pub fn run(self) {
        self.worker.run();
    }

    /// A thread with that name and stack size.
    pub(crate) fn thread(&self) -> std::thread::Builder {
        let mut thread = std::thread::Builder::new();
        if let Some(name) = self.name() {
            thread = thread.name(name.to_owned());
        }
        if let Some(bytes) = self.stack_size() {
            thread = thread.stack_size(bytes);
        }
        thread
    }
}

impl fmt::Debug for ThreadBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadBuilder")
            .field("index", &self.index())
            .field("name", &self.name())
            .field("stack_size", &self.stack_size())
            .finish_non_exhaustive()
    }
}

/// A way to provide threads. It is public so that a builder can be generic over it, and can be
/// neither called nor implemented elsewhere.
pub trait ThreadSpawn {
    #[doc(hidden)]
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()>;

    /// Whether threads may be started later in the same way, without this.
    #[doc(hidden)]
    fn is_default(&self) -> bool {
        false
    }
}

/// Threads of the standard library.
#[derive(Debug, Default)]
pub struct DefaultSpawn;

impl ThreadSpawn for DefaultSpawn {
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()> {
        thread.thread().spawn(|| thread.run())?;
        Ok(())
    }

    fn is_default(&self) -> bool {
        true
    }
}

/// Threads that a closure of the user provides.
#[derive(Debug)]
pub struct CustomSpawn<F>(F);

impl<F> CustomSpawn<F>
where
    F: FnMut(ThreadBuilder) -> io::Result<()>,
{
    pub(crate) fn new(spawn: F) -> Self {
        Self(spawn)
    }
}

impl<F> ThreadSpawn for CustomSpawn<F>
where
    F: FnMut(ThreadBuilder) -> io::Result<()>,
{
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()> {
        (self.0)(thread)
    }
}
