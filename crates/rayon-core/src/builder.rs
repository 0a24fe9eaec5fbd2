//! Configuring a pool.

use core::fmt;
use std::any::Any;
use std::env;
use std::io;
use std::num::NonZero;
use std::thread;

use filch::{BuildError, Pool};

use crate::error::{ErrorKind, ThreadPoolBuildError};
use crate::global;
use crate::numbers::max_num_threads;
use crate::pool::ThreadPool;
use crate::thread::{CustomSpawn, DefaultSpawn, ThreadBuilder, ThreadSpawn};

type Handler = dyn Fn(usize) + Send + Sync;
type PanicHandler = dyn Fn(Box<dyn Any + Send>) + Send + Sync;

/// Configures a [`ThreadPool`].
///
/// ```
/// let pool = rayon_core::ThreadPoolBuilder::new().num_threads(3).build()?;
/// assert_eq!(pool.install(rayon_core::current_num_threads), 3);
/// # Ok::<(), rayon_core::ThreadPoolBuildError>(())
/// ```
pub struct ThreadPoolBuilder<S = DefaultSpawn> {
    /// Zero for as many as the environment says.
    num_threads: usize,
    use_current_thread: bool,
    panic_handler: Option<Box<PanicHandler>>,
    thread_name: Option<Box<dyn FnMut(usize) -> String>>,
    stack_size: Option<usize>,
    start_handler: Option<Box<Handler>>,
    exit_handler: Option<Box<Handler>>,
    spawn_handler: S,
    breadth_first: bool,
    width: Option<usize>,
}

impl Default for ThreadPoolBuilder {
    fn default() -> Self {
        Self {
            num_threads: 0,
            use_current_thread: false,
            panic_handler: None,
            thread_name: None,
            stack_size: None,
            start_handler: None,
            exit_handler: None,
            spawn_handler: DefaultSpawn,
            breadth_first: false,
            width: None,
        }
    }
}

impl ThreadPoolBuilder {
    /// The default configuration.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts a pool for as long as `with_pool` runs. Its threads may borrow from here: each runs
    /// `wrapper`, which has to call [`ThreadBuilder::run`].
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build).
    pub fn build_scoped<W, F, R>(self, wrapper: W, with_pool: F) -> Result<R, ThreadPoolBuildError>
    where
        W: Fn(ThreadBuilder) + Sync,
        F: FnOnce(&ThreadPool) -> R,
    {
        thread::scope(|scope| {
            let wrapper = &wrapper;
            let spawn = |thread: ThreadBuilder| {
                thread
                    .thread()
                    .spawn_scoped(scope, move || wrapper(thread))?;
                Ok(())
            };
            let pool = self.spawn_handler(spawn).build()?;
            Ok(with_pool(&pool))
        })
    }
}

impl<S: ThreadSpawn> ThreadPoolBuilder<S> {
    /// Starts the pool.
    ///
    /// # Errors
    ///
    /// If the system refuses a thread, or if [`use_current_thread`](Self::use_current_thread) was
    /// set and the current thread is in a pool.
    pub fn build(self) -> Result<ThreadPool, ThreadPoolBuildError> {
        self.start().map(ThreadPool::of)
    }

    /// Starts the pool and makes it the global one. Returns when all threads have started.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build), and if there is a global pool already: it starts by itself on
    /// first use.
    pub fn build_global(self) -> Result<(), ThreadPoolBuildError> {
        let pool = global::init(self)?;
        pool.broadcast(|_| ());
        Ok(())
    }

    pub(crate) fn start(self) -> Result<Pool, ThreadPoolBuildError> {
        if self.use_current_thread && filch::current_worker().is_some() {
            return Err(ErrorKind::CurrentThreadAlreadyInPool.into());
        }
        let build_error = |error| match error {
            BuildError::Thread(error) => ErrorKind::Io(error).into(),
            other => ErrorKind::Io(io::Error::other(other)).into(),
        };
        let width = filch::internals::fixed_width(self.width).map_err(build_error)?;
        // Indices of threads are below the width that programs see.
        let most = width.map_or(max_num_threads(), |width| width.min(max_num_threads()));
        let threads = self.threads().min(most);
        let panic_handler = self.panic_handler;
        let mut pool = Pool::builder()
            .threads(threads)
            .numbers_below_workers()
            .orders_as_rayon()
            .deterministic(width.unwrap_or(0))
            .panic_handler(move |panic| handle(panic_handler.as_deref(), panic));
        if let Some(handler) = self.start_handler {
            pool = pool.start_handler(handler);
        }
        if let Some(handler) = self.exit_handler {
            pool = pool.exit_handler(handler);
        }
        if let Some(bytes) = self.stack_size {
            pool = pool.stack_size(bytes);
        }
        // One thread is one thread: programs rely on it. And a thread that waits for its number can
        // only be kept from deadlocks where the system tells whether another is blocked.
        let may_spare = self.spawn_handler.is_default() && threads > 1 && cfg!(target_os = "linux");
        if !may_spare {
            pool = pool.spare_threads(0);
        }
        let mut thread_name = self.thread_name;
        let name = |worker| thread_name.as_mut().map(|name| name(worker));
        let mut spawn_handler = self.spawn_handler;
        let spawn = |worker| spawn_handler.spawn(ThreadBuilder::new(worker));
        pool.build_with(name, self.use_current_thread, spawn)
            .map_err(build_error)
    }
}

/// Handles a panic of a job for which no caller waits. Without a handler, or if the handler panics
/// too, the process aborts.
fn handle(handler: Option<&PanicHandler>, panic: Box<dyn Any + Send>) {
    struct Abort;
    impl Drop for Abort {
        #[allow(clippy::print_stderr, reason = "the process aborts here")]
        fn drop(&mut self) {
            eprintln!("a spawned job panicked, and the pool has no handler for that: aborting");
            std::process::abort();
        }
    }
    let abort = Abort;
    if let Some(handler) = handler {
        handler(panic);
        core::mem::forget(abort);
    }
}

impl<S> ThreadPoolBuilder<S> {
    /// Lets `spawn` provide the threads: it is called for each worker, and has to call
    /// [`ThreadBuilder::run`] on a thread.
    pub fn spawn_handler<F>(self, spawn: F) -> ThreadPoolBuilder<CustomSpawn<F>>
    where
        F: FnMut(ThreadBuilder) -> io::Result<()>,
    {
        ThreadPoolBuilder {
            spawn_handler: CustomSpawn::new(spawn),
            num_threads: self.num_threads,
            use_current_thread: self.use_current_thread,
            panic_handler: self.panic_handler,
            thread_name: self.thread_name,
            stack_size: self.stack_size,
            start_handler: self.start_handler,
            exit_handler: self.exit_handler,
            breadth_first: self.breadth_first,
            width: self.width,
        }
    }

    /// The name of each worker's thread. Without this the threads have no names.
    pub fn thread_name<F>(mut self, closure: F) -> Self
    where
        F: FnMut(usize) -> String + 'static,
    {
        self.thread_name = Some(Box::new(closure));
        self
    }

    /// The number of threads. Zero, the default, stands for `RAYON_NUM_THREADS`, or else for one
    /// thread per processor that this process may use.
    pub fn num_threads(mut self, num_threads: usize) -> Self {
        self.num_threads = num_threads;
        self
    }

    /// The thread that builds the pool becomes its worker 0 until the process ends. It returns to
    /// its caller, and works for the pool only where it waits or [yields](crate::yield_now).
    pub fn use_current_thread(mut self) -> Self {
        self.use_current_thread = true;
        self
    }

    /// Called with the payload when a spawned job panics. Without it, such a panic aborts the
    /// process.
    pub fn panic_handler<H>(mut self, panic_handler: H) -> Self
    where
        H: Fn(Box<dyn Any + Send>) + Send + Sync + 'static,
    {
        self.panic_handler = Some(Box::new(panic_handler));
        self
    }

    /// The size of each worker's stack, in bytes.
    pub fn stack_size(mut self, stack_size: usize) -> Self {
        self.stack_size = Some(stack_size);
        self
    }

    /// Divides work by `width` instead of by the number of threads. Then what a parallel iterator
    /// computes depends on its input and this number alone: floating-point sums, reductions and
    /// folds are the same bits on any number of threads, in every run. Zero leaves the division
    /// free. The default is the environment variable `FILCH_DETERMINISTIC`: a number, `on` or
    /// `off`.
    ///
    /// [`current_num_threads`](crate::current_num_threads) is the width, and the pool has at most so
    /// many threads. This method is not in upstream's core; `docs/determinism.md` says what it
    /// costs and what it cannot fix.
    pub fn deterministic(mut self, width: usize) -> Self {
        self.width = Some(width);
        self
    }

    /// Asks that a worker starts with the oldest of its jobs. It is accepted and changes nothing.
    #[deprecated(note = "use `scope_fifo` and `spawn_fifo` for similar effect")]
    pub fn breadth_first(mut self) -> Self {
        self.breadth_first = true;
        self
    }

    /// Called by each worker, with its index, before its first job.
    pub fn start_handler<H>(mut self, start_handler: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.start_handler = Some(Box::new(start_handler));
        self
    }

    /// Called by each worker, with its index, after its last job.
    pub fn exit_handler<H>(mut self, exit_handler: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.exit_handler = Some(Box::new(exit_handler));
        self
    }

    fn threads(&self) -> usize {
        let asked = |name| env::var(name).ok()?.parse::<usize>().ok();
        match (self.num_threads, asked("RAYON_NUM_THREADS")) {
            (0, Some(0)) => processors(),
            (0, Some(threads)) => threads,
            // The older name.
            (0, None) => match asked("RAYON_RS_NUM_CPUS") {
                Some(threads) if threads > 0 => threads,
                _ => processors(),
            },
            (threads, _) => threads,
        }
    }
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

impl<S> fmt::Debug for ThreadPoolBuilder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadPoolBuilder")
            .field("num_threads", &self.num_threads)
            .field("use_current_thread", &self.use_current_thread)
            .field("has_thread_name", &self.thread_name.is_some())
            .field("has_panic_handler", &self.panic_handler.is_some())
            .field("stack_size", &self.stack_size)
            .field("has_start_handler", &self.start_handler.is_some())
            .field("has_exit_handler", &self.exit_handler.is_some())
            .field("breadth_first", &self.breadth_first)
            .field("deterministic", &self.width)
            .finish_non_exhaustive()
    }
}
