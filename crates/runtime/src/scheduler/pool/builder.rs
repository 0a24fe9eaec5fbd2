use core::fmt;
use core::num::NonZero;
use core::time::Duration;
use std::io;

use filch_policy::dispatch::{Spec, StartError};
use filch_policy::steal::StealFunction;

use super::backoff::SEARCH;
use super::order::JobOrder;
use super::spares::Spares;
use super::start::{Handler, WorkerStart};
use super::{Pool, PoolShared, fixed_width, placement};
use crate::scheduler::job::Panic;
use crate::sync::{Arc, thread};

/// What a worker does when it has run out of work. A thread from outside that waits for the pool
/// spins by the same policy, but for 20 µs at most, and then blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdlePolicy {
    /// Sleeps at once. This uses the least processor time; every new section of work begins with a
    /// system call.
    Park,
    /// Searches for this long, then sleeps. The default, with 20 µs. A worker that waits for a
    /// stolen child looks for work below it three times as long.
    Search(Duration),
    /// Never sleeps: work starts without a wake-up, and each worker keeps a processor busy.
    Spin,
}

impl Default for IdlePolicy {
    fn default() -> Self {
        Self::Search(SEARCH)
    }
}

/// Configures a [`Pool`].
///
/// ```
/// use filch::{IdlePolicy, Pool};
///
/// let pool = Pool::builder()
///     .threads(3)
///     .name(|worker| format!("cook-{worker}"))
///     .dispatch("jiq".parse().unwrap())
///     .idle(IdlePolicy::Park)
///     .build()?;
/// let name = pool.install(|| std::thread::current().name().map(str::to_owned));
/// assert!(name.unwrap().starts_with("cook-"));
/// # Ok::<(), filch::BuildError>(())
/// ```
pub struct PoolBuilder {
    threads: Option<usize>,
    spare_threads: Option<usize>,
    pub(super) numbers_below_workers: bool,
    orders_as_rayon: bool,
    /// The width that was set, and from `build` on the one that holds.
    pub(super) width: Option<usize>,
    name: Box<dyn Fn(usize) -> String>,
    stack_size: Option<usize>,
    start_handler: Option<Handler>,
    exit_handler: Option<Handler>,
    pub(super) panic_handler: Option<Box<dyn Fn(Panic) + Send + Sync>>,
    pub(super) steal: Option<StealFunction>,
    pub(super) dispatch: Spec,
    pub(super) idle: IdlePolicy,
    pub(super) directs_wake_ups: Option<bool>,
    pub(super) seed: u64,
}

impl Default for PoolBuilder {
    fn default() -> Self {
        Self {
            threads: None,
            spare_threads: None,
            numbers_below_workers: false,
            orders_as_rayon: false,
            width: None,
            name: Box::new(|worker| format!("filch-{worker}")),
            stack_size: None,
            start_handler: None,
            exit_handler: None,
            panic_handler: None,
            steal: None,
            dispatch: "pi".parse().expect("pi is a policy"),
            idle: IdlePolicy::default(),
            directs_wake_ups: None,
            seed: 1,
        }
    }
}

impl PoolBuilder {
    /// The number of workers. By default `FILCH_NUM_THREADS`, or else one worker for each processor
    /// that the process may use.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// The number of spare threads that may be started besides the workers; 0 forbids them. A spare
    /// thread is started when a worker [waits or blocks](crate#waiting-and-blocking) while there is
    /// work that it may not run itself, so that as many threads run as there are workers. By
    /// default `FILCH_SPARE_THREADS`, or else three for each worker, and none in a pool with a
    /// start or exit handler.
    #[must_use]
    pub fn spare_threads(mut self, threads: usize) -> Self {
        self.spare_threads = Some(threads);
        self
    }

    /// Fixes the *width*: the number by which programs divide their work. The result of
    /// [`map_reduce`](crate::map_reduce), and of rayon's iterators on filch, then depends on their
    /// input and this number alone, not on the number of workers. Zero leaves the division free. By
    /// default `FILCH_DETERMINISTIC`: a number, `on` for [`DETERMINISTIC_WIDTH`], or `off`.
    ///
    /// A wide division balances uneven work better and costs more on short loops;
    /// `docs/determinism.md` has the measurements, and what no width can fix.
    ///
    /// [`DETERMINISTIC_WIDTH`]: crate::DETERMINISTIC_WIDTH
    ///
    /// ```
    /// let thirds: Vec<f64> = (0..1000).map(|n| f64::from(n) / 3.0).collect();
    /// let sum = |threads, width| {
    ///     let pool = filch::Pool::builder().threads(threads).deterministic(width).build()?;
    ///     let sum = pool.install(|| filch::reduce(&thirds, |a, b| a + b));
    ///     Ok::<_, filch::BuildError>(sum.map(f64::to_bits))
    /// };
    /// assert_eq!(sum(1, 16)?, sum(3, 16)?);
    /// # Ok::<(), filch::BuildError>(())
    /// ```
    #[must_use]
    pub fn deterministic(mut self, width: usize) -> Self {
        self.width = Some(width);
        self
    }

    /// Sees to it that [`PoolRef::number`](crate::internals::PoolRef::number) is below the number of
    /// workers, and different for closures that run at the same moment.
    #[doc(hidden)]
    #[must_use]
    pub fn numbers_below_workers(mut self) -> Self {
        self.numbers_below_workers = true;
        self
    }

    /// Lets workers look at spawned jobs and forks in an order on which rayon's programs can rely.
    #[doc(hidden)]
    #[must_use]
    pub fn orders_as_rayon(mut self) -> Self {
        self.orders_as_rayon = true;
        self
    }

    /// The name of each worker's thread, by the index of the worker.
    #[must_use]
    pub fn name(mut self, name: impl Fn(usize) -> String + 'static) -> Self {
        self.name = Box::new(name);
        self
    }

    /// The size of each worker's stack, in bytes.
    #[must_use]
    pub fn stack_size(mut self, bytes: usize) -> Self {
        self.stack_size = Some(bytes);
        self
    }

    /// Called by each worker, with its index, before its first job.
    #[must_use]
    pub fn start_handler(mut self, handler: impl Fn(usize) + Send + Sync + 'static) -> Self {
        self.start_handler = Some(Arc::new(handler));
        self
    }

    /// Called by each worker, with its index, after its last job.
    #[must_use]
    pub fn exit_handler(mut self, handler: impl Fn(usize) + Send + Sync + 'static) -> Self {
        self.exit_handler = Some(Arc::new(handler));
        self
    }

    /// Called with the payload when a job panics and its handle was dropped. Without it, such a
    /// panic is reported by the panic hook only.
    #[must_use]
    pub fn panic_handler(mut self, handler: impl Fn(Panic) + Send + Sync + 'static) -> Self {
        self.panic_handler = Some(Box::new(handler));
        self
    }

    /// How many of its jobs a worker gives to one without work that requests some (BFG03's f). By
    /// default that is half, but no more than the other can run within 50 µs, as far as it knows
    /// from its last jobs: so jobs begin almost in the order in which they came. The load includes
    /// the job in service: with one job in service and one in the queue, `half` gives the one in
    /// the queue. A function that gives nothing for a load of 2, such as `fraction:4`, leaves it
    /// there.
    #[must_use]
    pub fn steal(mut self, function: StealFunction) -> Self {
        self.steal = Some(function);
        self
    }

    /// Which worker a job from outside goes to. Persistent-Idle by default.
    #[must_use]
    pub fn dispatch(mut self, policy: Spec) -> Self {
        self.dispatch = policy;
        self
    }

    /// What a worker does when it has run out of work.
    #[must_use]
    pub fn idle(mut self, policy: IdlePolicy) -> Self {
        self.idle = policy;
        self
    }

    /// Whether a thread that wakes a worker may keep it off its own processor, on Linux. By default
    /// `FILCH_DIRECTED_WAKE_UPS`, which is `on` or `off`; or else it may, unless a seccomp filter
    /// applies to it.
    ///
    /// Linux may run a woken worker on the processor of the thread that wakes it although another
    /// processor is idle. If it has done so, the next few wake-ups take the waking thread's
    /// processor out of the worker's affinity mask while it is woken, and restore the mask before
    /// it runs any job. A mask that the program has given its threads is kept to and restored; one
    /// that is given at the very moment of a wake-up may be lost. `false` is for programs that
    /// assign masks while the pool runs.
    ///
    /// Services are often forbidden to change affinity masks, on pain of death: systemd does so by
    /// `SystemCallFilter=~@resources`. A program cannot find out without the risk. `true` is for
    /// those whose filter allows `sched_setaffinity`, as that of Docker does.
    #[must_use]
    pub fn directed_wake_ups(mut self, directed: bool) -> Self {
        self.directs_wake_ups = Some(directed);
        self
    }

    /// The seed for the workers' choice of victims, and for the dispatcher's choice among equal
    /// workers.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Starts the workers.
    ///
    /// # Errors
    ///
    /// If the number of workers is zero, `FILCH_NUM_THREADS`, `FILCH_SPARE_THREADS`,
    /// `FILCH_DETERMINISTIC` or `FILCH_DIRECTED_WAKE_UPS` has no meaning, the policy needs what a
    /// pool does not know, or the system refuses a thread.
    pub fn build(self) -> Result<Pool, BuildError> {
        // Before there is a pool, because the user's function may panic.
        let names: Vec<String> = (0..self.workers()?).map(&self.name).collect();
        let mut threads = Vec::with_capacity(names.len());
        let spawn = |worker: WorkerStart| {
            let mut thread = thread::Builder::new();
            if let Some(name) = worker.name() {
                thread = thread.name(name.to_owned());
            }
            if let Some(bytes) = worker.stack_size() {
                thread = thread.stack_size(bytes);
            }
            let alive = worker.alive();
            let run = move || {
                worker.run();
                drop(alive);
            };
            threads.push(thread.spawn(run)?);
            Ok(())
        };
        let built = self.build_with(|worker| Some(names[worker].clone()), false, spawn);
        match built {
            Ok(mut pool) => {
                pool.threads = threads;
                Ok(pool)
            }
            Err(error) => {
                for thread in threads {
                    drop(thread.join());
                }
                Err(error)
            }
        }
    }

    /// Gives each worker to `spawn`, which finds a thread for it; if `here`, the first worker is
    /// the current thread. The pool does not wait for these threads when it is dropped.
    #[doc(hidden)]
    pub fn build_with(
        mut self,
        mut name: impl FnMut(usize) -> Option<String>,
        here: bool,
        mut spawn: impl FnMut(WorkerStart) -> io::Result<()>,
    ) -> Result<Pool, BuildError> {
        let workers = self.workers()?;
        self.width = fixed_width(self.width)?;
        self.directs_wake_ups = placement::directs(self.directs_wake_ups)?;
        let handlers = (self.start_handler.clone(), self.exit_handler.clone());
        let most_spares = self.most_spares(workers)?;
        let spares = Spares::new(self.stack_size, handlers.clone());
        let (shared, deques) =
            PoolShared::new(workers, most_spares, spares, &mut self).map_err(BuildError::Policy)?;
        let shared = Arc::new(shared);
        let start =
            |(index, deque)| WorkerStart::new(deque, Arc::clone(&shared), index, handlers.clone());
        let starts: Vec<WorkerStart> = deques.into_iter().enumerate().map(start).collect();
        // On failure the pool is dropped. That ends the workers that were started and does not wait
        // for the others.
        let mut pool = Pool {
            shared,
            threads: Vec::new(),
            borrows_thread: false,
        };
        for start in starts {
            let name = name(start.index());
            pool.shared.spares.add_name(name.clone());
            let start = start.named(name, self.stack_size);
            if here && start.index() == 0 {
                if !start.stay() {
                    return Err(BuildError::AlreadyWorker);
                }
                pool.borrows_thread = true;
            } else {
                spawn(start).map_err(BuildError::Thread)?;
            }
        }
        Ok(pool)
    }

    /// A pool with configured threads lends no seats: its work is meant to run on these threads.
    pub(super) fn lends_seats(&self) -> bool {
        let handlers = [&self.start_handler, &self.exit_handler];
        self.stack_size.is_none() && handlers.iter().all(|handler| handler.is_none())
    }

    pub(super) fn order(&self, most_spares: usize) -> JobOrder {
        match (self.orders_as_rayon, most_spares) {
            (false, _) => JobOrder::Requests,
            (true, 0) => JobOrder::AmongForks,
            (true, _) => JobOrder::BeforeForks,
        }
    }

    fn most_spares(&self, workers: usize) -> Result<usize, BuildError> {
        let has_handlers = self.start_handler.is_some() || self.exit_handler.is_some();
        let default = if has_handlers { 0 } else { 3 * workers };
        let most = set_or_variable(self.spare_threads, "FILCH_SPARE_THREADS")?;
        Ok(most.unwrap_or(default))
    }

    fn workers(&self) -> Result<usize, BuildError> {
        match set_or_variable(self.threads, "FILCH_NUM_THREADS")? {
            Some(0) => Err(BuildError::NoThreads),
            Some(workers) => Ok(workers),
            // The standard library respects the affinity and the quota of a control group.
            None => Ok(std::thread::available_parallelism().map_or(1, NonZero::get)),
        }
    }
}

/// The number that was set, or else that of the environment variable `name`.
fn set_or_variable(set: Option<usize>, name: &'static str) -> Result<Option<usize>, BuildError> {
    match (set, std::env::var_os(name)) {
        (None, Some(text)) => match text.to_str().and_then(|text| text.parse().ok()) {
            Some(number) => Ok(Some(number)),
            None => Err(BuildError::Environment(name)),
        },
        (set, _) => Ok(set),
    }
}

impl fmt::Debug for PoolBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PoolBuilder")
            .field("threads", &self.threads)
            .field("spare_threads", &self.spare_threads)
            .field("deterministic", &self.width)
            .field("stack_size", &self.stack_size)
            .field("steal", &self.steal)
            .field("dispatch", &self.dispatch)
            .field("idle", &self.idle)
            .field("directed_wake_ups", &self.directs_wake_ups)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

/// Why a pool could not be built.
#[derive(Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// A pool without workers would never run anything.
    NoThreads,
    /// This environment variable is not a whole number.
    Environment(&'static str),
    /// `FILCH_DETERMINISTIC` is no width.
    Width,
    /// `FILCH_DIRECTED_WAKE_UPS` is neither `on` nor `off`.
    DirectedWakeUps,
    /// The dispatch policy needs to know what a pool does not know.
    Policy(StartError),
    /// The system did not start a thread.
    Thread(std::io::Error),
    /// The current thread was to become a worker, and is one already.
    AlreadyWorker,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoThreads => f.write_str("a pool needs at least one thread: ask for 1 or more"),
            Self::Environment(name) => write!(
                f,
                "{name} is not a whole number: set it to a number of threads, or not at all"
            ),
            Self::Width => f.write_str(
                "FILCH_DETERMINISTIC is no width: set it to a number such as 64, to `on`, or not at all",
            ),
            Self::DirectedWakeUps => f.write_str(
                "FILCH_DIRECTED_WAKE_UPS is neither on nor off: set it to `on`, to `off`, or not at all",
            ),
            Self::Policy(error) => error.fmt(f),
            Self::Thread(error) => write!(f, "the system did not start a worker's thread: {error}"),
            Self::AlreadyWorker => {
                f.write_str("this thread is a worker already: build the pool on another thread")
            }
        }
    }
}

impl std::error::Error for BuildError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NoThreads
            | Self::Environment(_)
            | Self::Width
            | Self::DirectedWakeUps
            | Self::AlreadyWorker => None,
            Self::Policy(error) => Some(error),
            Self::Thread(error) => Some(error),
        }
    }
}
