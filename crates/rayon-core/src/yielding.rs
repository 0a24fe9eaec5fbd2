//! Running other work in the middle of a job.

use filch::internals;

/// The outcome of [`yield_now`] or [`yield_local`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yield {
    /// A piece of work was run.
    Executed,
    /// There was none.
    Idle,
}

impl Yield {
    pub(crate) fn of(executed: bool) -> Self {
        if executed { Self::Executed } else { Self::Idle }
    }
}

/// Runs one piece of work on top of the current job: the worker's own, or stolen. `None` on a
/// thread that is no worker.
pub fn yield_now() -> Option<Yield> {
    internals::run_one_here(true).map(Yield::of)
}

/// Runs one piece of this worker's own work on top of the current job. `None` on a thread that is
/// no worker.
pub fn yield_local() -> Option<Yield> {
    internals::run_one_here(false).map(Yield::of)
}

/// Whether this worker has work that was not started. `None` on a thread that is no worker.
#[inline]
pub fn current_thread_has_pending_tasks() -> Option<bool> {
    internals::has_pending_here()
}
