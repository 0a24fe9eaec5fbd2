use core::fmt;

use crate::scheduler::call::Call;
use crate::scheduler::job::{AwaitedTask, CrossLatch};
use crate::scheduler::needs::{Awaited, TaskId, Waits};
use crate::scheduler::pool::PoolShared;
use crate::scheduler::worker::Worker;
use crate::sync::Arc;

/// The handle of a spawned job. Dropping it does not cancel the job.
pub struct JoinHandle<T> {
    pub(super) task: Arc<dyn AwaitedTask<T>>,
    /// The pool of the job.
    pub(super) pool: Arc<PoolShared>,
    /// The call that the job is, if it was spawned by a worker of another pool.
    call: Option<Arc<Call>>,
}

impl<T> JoinHandle<T> {
    pub(crate) fn new(
        task: Arc<dyn AwaitedTask<T>>,
        pool: Arc<PoolShared>,
        call: Option<Arc<Call>>,
    ) -> Self {
        Self { task, pool, call }
    }

    /// Waits for the job and returns its result, or the payload of its panic.
    ///
    /// A worker that waits for a job of its own pool runs the job itself if it was not started. So
    /// a job may wait for jobs that it has spawned, even on a pool of one worker.
    ///
    /// # Errors
    ///
    /// The payload, if the job panicked.
    pub fn join(self) -> std::thread::Result<T> {
        self.pool.assert_same_process();
        if let Some(worker) = Worker::current() {
            if worker.is_of(&self.pool) {
                self.task.run_if_unstarted();
            }
            self.wait_on(worker);
        } else {
            let mut backoff = self.pool.caller_backoff();
            while !self.task.is_finished() && backoff.pause() {}
        }
        self.task.wait()
    }

    #[allow(unsafe_code, reason = "the job tells a latch on our stack")]
    fn wait_on(&self, worker: &Worker) {
        let latch = CrossLatch::new(Arc::clone(worker.shared()));
        // SAFETY: we wait for the latch before we drop it.
        if unsafe { self.task.set_when_done(&latch) } {
            let task = Awaited::Task(TaskId::at(Arc::as_ptr(&self.task)));
            let _waits = Waits::begin(worker.activity(), task);
            worker.wait_outside(
                latch.latch(),
                self.call.as_ref().map_or(task, Awaited::Call),
            );
        }
    }

    /// Whether the job has ended, so that [`join`](Self::join) would not wait.
    pub fn is_finished(&self) -> bool {
        self.task.is_finished()
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}
