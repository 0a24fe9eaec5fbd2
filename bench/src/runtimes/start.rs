//! Pools of a given size, and handing jobs to them.

use std::num::NonZero;
use std::time::Duration;

use super::{Caller, RuntimeKind};

/// A running pool, or none for the serial program. Dropping it ends its threads.
pub(crate) enum Runtime {
    /// No pool.
    Serial,
    /// A pool of filch.
    Filch(::filch::Pool),
    /// A pool of rayon.
    Rayon(rayon::ThreadPool),
    /// A pool of chili, which counts the thread that opens a scope.
    Chili(chili::ThreadPool),
    /// The pool of forte.
    #[cfg(feature = "forte")]
    Forte(super::forte::Populated),
    /// A task pool of Bevy.
    BevyTasks(bevy_tasks::TaskPool),
    /// A pool of threadpool.
    Threadpool(threadpool::ThreadPool),
    /// A pool of rusty_pool.
    RustyPool(rusty_pool::ThreadPool),
}

impl Runtime {
    /// Starts a pool of `kind` in which `threads` threads compute.
    ///
    /// # Panics
    ///
    /// If the threads cannot be started.
    #[cfg_attr(
        not(feature = "forte"),
        expect(unused_variables, reason = "only forte asks")
    )]
    pub(crate) fn start(kind: RuntimeKind, threads: usize, caller: Caller) -> Runtime {
        match kind {
            RuntimeKind::Serial => Runtime::Serial,
            RuntimeKind::Filch => Runtime::Filch(super::filch::start(threads)),
            RuntimeKind::Rayon => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                Runtime::Rayon(pool.expect("rayon starts"))
            }
            RuntimeKind::Chili => Runtime::Chili(chili::ThreadPool::with_config(chili::Config {
                thread_count: NonZero::new(threads),
                ..chili::Config::default()
            })),
            #[cfg(feature = "forte")]
            RuntimeKind::Forte => Runtime::Forte(match caller {
                // A thread that enters is a worker for that time.
                Caller::Joins | Caller::Scopes => super::forte::Populated::with(threads - 1),
                Caller::Spawns | Caller::Leaves => super::forte::Populated::with(threads),
            }),
            RuntimeKind::BevyTasks => {
                let pool = bevy_tasks::TaskPoolBuilder::new()
                    .num_threads(threads)
                    .build();
                Runtime::BevyTasks(pool)
            }
            RuntimeKind::Threadpool => Runtime::Threadpool(threadpool::ThreadPool::new(threads)),
            RuntimeKind::RustyPool => {
                let keep = Duration::from_secs(60);
                Runtime::RustyPool(rusty_pool::ThreadPool::new(threads, threads, keep))
            }
        }
    }

    /// Hands over a job without waiting for it.
    ///
    /// # Panics
    ///
    /// If the runtime knows no such jobs; [`RuntimeKind::can`] says so beforehand.
    pub(crate) fn spawn(&self, job: impl FnOnce() + Send + 'static) {
        match self {
            Runtime::Filch(pool) => drop(pool.spawn(job)),
            Runtime::Rayon(pool) => pool.spawn(job),
            #[cfg(feature = "forte")]
            Runtime::Forte(pool) => pool.spawn(job),
            Runtime::BevyTasks(pool) => pool.spawn(async move { job() }).detach(),
            Runtime::Threadpool(pool) => pool.execute(job),
            Runtime::RustyPool(pool) => pool.execute(job),
            Runtime::Serial | Runtime::Chili(_) => unreachable!("a runtime without jobs"),
        }
    }
}
