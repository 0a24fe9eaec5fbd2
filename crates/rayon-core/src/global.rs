//! The pool that functions use outside every other pool.

use std::sync::{Mutex, OnceLock, PoisonError};

use filch::Pool;
use filch::internals::PoolRef;

use crate::builder::ThreadPoolBuilder;
use crate::error::{ErrorKind, ThreadPoolBuildError};
use crate::thread::ThreadSpawn;

static GLOBAL: OnceLock<Pool> = OnceLock::new();

/// Held while the pool is started, so that it is started once.
static STARTING: Mutex<()> = Mutex::new(());

/// The global pool, started on first use.
///
/// # Panics
///
/// If it cannot be started.
pub(crate) fn global() -> &'static Pool {
    GLOBAL.get().unwrap_or_else(|| {
        let _starting = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have started it meanwhile.
        GLOBAL.get_or_init(|| {
            default_pool().unwrap_or_else(|error| {
                panic!("the global thread pool could not be started: {error}")
            })
        })
    })
}

/// Makes a pool the global one.
pub(crate) fn init<S: ThreadSpawn>(
    builder: ThreadPoolBuilder<S>,
) -> Result<&'static Pool, ThreadPoolBuildError> {
    let _starting = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    if GLOBAL.get().is_some() {
        return Err(ErrorKind::GlobalPoolAlreadyInitialized.into());
    }
    let pool = builder.start()?;
    Ok(GLOBAL.get_or_init(|| pool))
}

/// Where the system has no threads, the current thread is the only worker.
fn default_pool() -> Result<Pool, ThreadPoolBuildError> {
    match ThreadPoolBuilder::new().start() {
        Err(error) if error.is_unsupported() && filch::current_worker().is_none() => {
            let alone = ThreadPoolBuilder::new().num_threads(1).use_current_thread();
            alone.start()
        }
        started => started,
    }
}

/// Calls `with` with the pool of the current worker, or with the global one.
pub(crate) fn current<R>(with: impl FnOnce(PoolRef<'_>) -> R) -> R {
    PoolRef::current(global, with)
}
