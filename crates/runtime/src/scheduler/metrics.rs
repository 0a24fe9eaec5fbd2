//! What workers count.

use std::time::Duration;

use crate::sync::atomic::{AtomicU64, Ordering};

/// A counter that one thread writes, unless said otherwise, and any thread may read.
#[derive(Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    /// Ordering: Relaxed, and a plain addition. The worker itself is the only writer, and readers
    /// need a recent number and no order.
    #[inline]
    pub(crate) fn add(&self, more: u64) {
        self.0.store(
            self.0.load(Ordering::Relaxed).wrapping_add(more),
            Ordering::Relaxed,
        );
    }

    /// As [`add`](Self::add), where two threads may add at once.
    pub(crate) fn add_among_others(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The counters of one worker.
#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) attempts: Counter,
    pub(crate) steals: Counter,
    pub(crate) jobs: Counter,
    pub(crate) job_steals: Counter,
    pub(crate) jobs_moved: Counter,
    pub(crate) parks: Counter,
    pub(crate) wake_ups: Counter,
    pub(crate) searching_nanos: Counter,
    pub(crate) hand_overs: Counter,
    pub(crate) waiting_nanos: Counter,
}

impl Counters {
    /// Together with what is counted elsewhere: the forks, and the jobs in the queue now.
    pub(crate) fn snapshot(&self, forks: u64, queue_depth: u64) -> WorkerMetrics {
        WorkerMetrics {
            forks,
            steal_attempts: self.attempts.get(),
            steals: self.steals.get(),
            jobs_run: self.jobs.get(),
            job_steals: self.job_steals.get(),
            jobs_moved: self.jobs_moved.get(),
            parks: self.parks.get(),
            wake_ups: self.wake_ups.get(),
            queue_depth,
            searching: Duration::from_nanos(self.searching_nanos.get()),
            hand_overs: self.hand_overs.get(),
            waiting: Duration::from_nanos(self.waiting_nanos.get()),
        }
    }
}

/// What a pool has done so far: [`Pool::metrics`](crate::Pool::metrics).
///
/// The numbers are exact for an idle pool. While it works, each number was true a moment ago, but
/// not all of them at the same moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metrics {
    /// One entry for each worker.
    pub workers: Vec<WorkerMetrics>,
    /// The spare threads that were started.
    pub spares: Vec<WorkerMetrics>,
}

/// What one worker has done so far, or all of them together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkerMetrics {
    /// Jobs pushed onto the deque: one for each `join` and each `spawn` into a scope.
    pub forks: u64,
    /// Attempts to steal from a victim.
    pub steal_attempts: u64,
    /// Jobs stolen from the deque of a victim.
    pub steals: u64,
    /// Independent jobs and installed calls that were run.
    pub jobs_run: u64,
    /// Successful requests for jobs of a victim's queue.
    pub job_steals: u64,
    /// Jobs moved by these requests; divided by `job_steals`, the jobs moved per request.
    pub jobs_moved: u64,
    /// Times that the worker went to sleep.
    pub parks: u64,
    /// Times that this worker woke another.
    pub wake_ups: u64,
    /// Jobs in its queue now.
    pub queue_depth: u64,
    /// Time spent searching for work.
    pub searching: Duration,
    /// Times that the worker woke or started another thread because it had to wait itself.
    pub hand_overs: u64,
    /// Time asleep inside a job, waiting with nothing to do below what it waited for.
    pub waiting: Duration,
}

impl Metrics {
    /// All workers and spare threads together.
    pub fn total(&self) -> WorkerMetrics {
        let threads = self.workers.iter().chain(&self.spares);
        threads.fold(WorkerMetrics::default(), |sum, worker| WorkerMetrics {
            forks: sum.forks + worker.forks,
            steal_attempts: sum.steal_attempts + worker.steal_attempts,
            steals: sum.steals + worker.steals,
            jobs_run: sum.jobs_run + worker.jobs_run,
            job_steals: sum.job_steals + worker.job_steals,
            jobs_moved: sum.jobs_moved + worker.jobs_moved,
            parks: sum.parks + worker.parks,
            wake_ups: sum.wake_ups + worker.wake_ups,
            queue_depth: sum.queue_depth + worker.queue_depth,
            searching: sum.searching + worker.searching,
            hand_overs: sum.hand_overs + worker.hand_overs,
            waiting: sum.waiting + worker.waiting,
        })
    }
}
