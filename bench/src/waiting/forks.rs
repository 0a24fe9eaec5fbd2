//! The two runtimes behind one face. What a call costs does not matter beside leaves of
//! milliseconds, so each program is written once, for both.

use std::sync::Arc;

use super::stacks::StackGauge;
use crate::runtimes::RuntimeKind;

/// The stack of each worker whose depth is measured: room for rayon's.
const STACK: usize = 64 << 20;

/// A pool in which a program joins and spawns without passing a handle along.
pub(crate) trait Forks: Sized + Sync {
    /// Its name.
    const KIND: RuntimeKind;

    /// A pool of so many workers, as users build it.
    fn start(workers: usize) -> Self;
    /// A pool whose workers tell `gauge` where their stacks begin.
    fn start_gauged(workers: usize, gauge: Arc<StackGauge>) -> Self;
    /// Runs `program` on a worker.
    fn install(&self, program: impl FnOnce() + Send);
    /// Runs both, perhaps at the same time.
    fn join(a: impl FnOnce() + Send, b: impl FnOnce() + Send);
    /// Runs `job` with each number below `jobs`, each spawned into one scope by `spawner`.
    fn spawn_each(jobs: usize, spawner: Spawner, job: impl Fn(usize) + Sync);
}

/// Which thread spawns the jobs of a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spawner {
    /// The worker that opened the scope.
    Owner,
    /// A thread outside the pool.
    Foreign,
}

impl Spawner {
    /// Calls `spawn_all` on the thread that this stands for.
    fn run(self, spawn_all: impl FnOnce() + Send) {
        match self {
            Spawner::Owner => spawn_all(),
            Spawner::Foreign => std::thread::scope(|threads| {
                threads.spawn(spawn_all);
            }),
        }
    }
}

impl Forks for filch::Pool {
    const KIND: RuntimeKind = RuntimeKind::Filch;

    fn start(workers: usize) -> Self {
        let builder = filch::Pool::builder().threads(workers);
        builder.build().expect("filch starts")
    }

    fn start_gauged(workers: usize, gauge: Arc<StackGauge>) -> Self {
        // As many spare threads as by default: a pool with a handler has none unless it asks.
        let builder = filch::Pool::builder()
            .threads(workers)
            .spare_threads(3 * workers)
            .stack_size(STACK);
        let builder = builder.start_handler(move |_| gauge.begin());
        builder.build().expect("filch starts")
    }

    fn install(&self, program: impl FnOnce() + Send) {
        filch::Pool::install(self, program);
    }

    fn join(a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
        filch::join(a, b);
    }

    fn spawn_each(jobs: usize, spawner: Spawner, job: impl Fn(usize) + Sync) {
        let job = &job;
        filch::scope(|scope| {
            spawner.run(|| (0..jobs).for_each(|number| scope.spawn(move |_| job(number))));
        });
    }
}

impl Forks for rayon::ThreadPool {
    const KIND: RuntimeKind = RuntimeKind::Rayon;

    fn start(workers: usize) -> Self {
        let builder = rayon::ThreadPoolBuilder::new().num_threads(workers);
        builder.build().expect("rayon starts")
    }

    fn start_gauged(workers: usize, gauge: Arc<StackGauge>) -> Self {
        let builder = rayon::ThreadPoolBuilder::new()
            .num_threads(workers)
            .stack_size(STACK);
        let builder = builder.start_handler(move |_| gauge.begin());
        builder.build().expect("rayon starts")
    }

    fn install(&self, program: impl FnOnce() + Send) {
        rayon::ThreadPool::install(self, program);
    }

    fn join(a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
        rayon::join(a, b);
    }

    fn spawn_each(jobs: usize, spawner: Spawner, job: impl Fn(usize) + Sync) {
        let job = &job;
        rayon::scope(|scope| {
            spawner.run(|| (0..jobs).for_each(|number| scope.spawn(move |_| job(number))));
        });
    }
}
