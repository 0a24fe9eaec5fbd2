//! The independent jobs that wait for one worker, first come, first served.

mod jobs;
mod list;
#[cfg(all(test, not(any(loom, shuttle))))]
mod tests;

pub(crate) use list::shrink;

use filch_deque::Padded;
use jobs::Jobs;

use crate::scheduler::job::Job;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Mutex, MutexGuard, lock};

/// A job in a queue, and which workers may run it besides an idle one.
pub(crate) struct Queued {
    pub(crate) job: Job,
    pub(crate) kind: JobKind,
}

/// Where a queued job comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobKind {
    /// An independent job, or work installed by a thread that is in no pool.
    Plain,
    /// Work from a worker of another pool. A worker of this pool that itself waits for another pool
    /// may run it (see [`Call`](crate::scheduler::call::Call)).
    Call,
    /// A child of the scope at this address, spawned from outside the pool. The worker that waits
    /// for the scope may run it.
    Scope(usize),
    /// A share of a broadcast. Only the worker of this queue may run it.
    Broadcast,
}

/// A queue of two parts, so that dispatchers and the worker rarely contend for a lock. New jobs
/// arrive in one part, and are moved to the other when that is empty, or when a worker needs more
/// than its first job.
///
/// Calls and children of scopes are *lone* jobs: a request takes one of them at a time, whatever
/// the steal function says, and they do not move to another queue. A worker that looks for one of
/// them would miss it in transit.
pub(crate) struct Queue {
    /// The older jobs. Its lock is taken before that of `arrived`.
    jobs: Padded<Mutex<Jobs>>,
    /// Apart from the rest, because dispatchers write here while the worker takes older jobs.
    arrived: Padded<Mutex<Vec<Queued>>>,
    /// How many jobs of both parts any worker may run. Read without a lock.
    len: AtomicUsize,
    /// How many of these are lone.
    lone: AtomicUsize,
    /// How many are [`JobKind::Broadcast`].
    broadcast: AtomicUsize,
}

impl Queue {
    pub(crate) fn new() -> Self {
        Self {
            jobs: Padded::default(),
            arrived: Padded::default(),
            len: AtomicUsize::new(0),
            lone: AtomicUsize::new(0),
            broadcast: AtomicUsize::new(0),
        }
    }

    /// How many jobs there are that any worker may run.
    pub(crate) fn len(&self) -> usize {
        // Ordering: SeqCst, so that a worker that enters the sleepers and then reads the queues is
        // ordered with a dispatcher that fills a queue and then reads the sleepers.
        self.len.load(Ordering::SeqCst)
    }

    /// Whether there are calls or children of scopes.
    pub(crate) fn has_lone_jobs(&self) -> bool {
        // Ordering: as for `len`.
        self.lone.load(Ordering::SeqCst) > 0
    }

    /// Whether there is a share of a broadcast.
    fn has_shares(&self) -> bool {
        // Ordering: as for `len`.
        self.broadcast.load(Ordering::SeqCst) > 0
    }

    /// Whether there are no jobs at all, shares of broadcasts included.
    pub(crate) fn has_nothing(&self) -> bool {
        self.len() == 0 && !self.has_shares()
    }

    pub(crate) fn push(&self, jobs: impl IntoIterator<Item = Queued>) {
        let mut arrived = lock(&self.arrived);
        let mut plain = 0;
        // Under the lock, so that a job is counted before it can be taken out.
        for queued in jobs {
            match queued.kind {
                JobKind::Plain => plain += 1,
                kind => self.added(kind),
            }
            arrived.push(queued);
        }
        self.len.fetch_add(plain, Ordering::SeqCst);
    }

    /// Puts a job before all others, for the worker of this queue. It continues with the newest of
    /// these jobs, and others begin with the oldest.
    pub(crate) fn push_spawned(&self, job: Job) {
        let mut older = lock(&self.jobs);
        self.added(JobKind::Plain);
        older.push_spawned(job);
    }

    /// The newest job that the worker has spawned to be run before all else.
    pub(crate) fn pop_newest_spawned(&self) -> Option<Job> {
        if self.len() == 0 {
            return None;
        }
        let mut jobs = lock(&self.jobs);
        jobs.pop_newest_spawned().and_then(|job| self.taken(job))
    }

    /// The oldest of these jobs.
    pub(crate) fn pop_oldest_spawned(&self) -> Option<Job> {
        if self.len() == 0 {
            return None;
        }
        let mut jobs = lock(&self.jobs);
        jobs.pop_oldest_spawned().and_then(|job| self.taken(job))
    }

    /// Puts plain jobs before all others that have arrived, in their order.
    fn push_first(&self, jobs: Vec<Job>) {
        let mut older = lock(&self.jobs);
        for job in jobs.into_iter().rev() {
            self.added(JobKind::Plain);
            older.push_first(job);
        }
    }

    /// The first job. `begin` is called under the lock, so that a worker that [requests
    /// jobs](Self::give) never finds the job gone and the worker of this queue not busy.
    pub(crate) fn pop(&self, begin: impl FnOnce()) -> Option<Job> {
        if self.has_nothing() {
            return None;
        }
        let mut jobs = lock(&self.jobs);
        if jobs.is_empty() {
            jobs.gather(&self.arrived);
        }
        let first = jobs.pop()?;
        begin();
        self.taken(first)
    }

    /// The first share of a broadcast for which `may` holds.
    pub(crate) fn pop_share(&self, may: impl Fn(&Job) -> bool) -> Option<Job> {
        if !self.has_shares() {
            return None;
        }
        self.all().pop_share(may).and_then(|job| self.taken(job))
    }

    /// Whether there is a share of a broadcast for which `may` holds.
    pub(crate) fn has_share(&self, may: impl Fn(&Job) -> bool) -> bool {
        self.has_shares() && self.all().has_share(may)
    }

    /// The first call for which `may` holds.
    pub(crate) fn pop_call(&self, may: impl Fn(&Job) -> bool) -> Option<Job> {
        if !self.has_lone_jobs() {
            return None;
        }
        self.all().pop_call(may).and_then(|job| self.taken(job))
    }

    /// Whether there is a call for which `may` holds.
    pub(crate) fn has_call(&self, may: impl Fn(&Job) -> bool) -> bool {
        self.has_lone_jobs() && self.all().has_call(may)
    }

    /// The first child of the scope at this address.
    pub(crate) fn pop_child(&self, scope: usize) -> Option<Job> {
        if !self.has_lone_jobs() {
            return None;
        }
        self.all().pop_child(scope).and_then(|job| self.taken(job))
    }

    /// Whether there is a child of the scope at this address.
    pub(crate) fn has_child(&self, scope: usize) -> bool {
        self.has_lone_jobs() && self.all().has_child(scope)
    }

    /// The first lone job.
    pub(crate) fn pop_lone(&self) -> Option<Job> {
        if !self.has_lone_jobs() {
            return None;
        }
        self.all().pop_lone().and_then(|job| self.taken(job))
    }

    /// The oldest job that any worker may run, if the worker of this queue does not: first of those
    /// that it has spawned, then of those that have arrived.
    pub(crate) fn pop_shared(&self) -> Option<Job> {
        if self.len() == 0 {
            return None;
        }
        self.all().pop_shared().and_then(|job| self.taken(job))
    }

    /// All jobs, in one part.
    fn all(&self) -> MutexGuard<'_, Jobs> {
        let mut jobs = lock(&self.jobs);
        jobs.gather(&self.arrived);
        jobs
    }

    /// Called with the lock of its part held.
    fn added(&self, kind: JobKind) {
        self.count(kind, |count| count.fetch_add(1, Ordering::SeqCst));
    }

    /// Called with the lock held.
    fn taken(&self, queued: Queued) -> Option<Job> {
        self.count(queued.kind, |count| count.fetch_sub(1, Ordering::SeqCst));
        Some(queued.job)
    }

    /// The lone count first: a worker that sees the other count goes on to take the lock, instead
    /// of spinning on a job that is only half counted.
    fn count(&self, kind: JobKind, change: impl Fn(&AtomicUsize) -> usize) {
        match kind {
            JobKind::Plain => {}
            JobKind::Broadcast => {
                change(&self.broadcast);
                return;
            }
            JobKind::Call | JobKind::Scope(_) => {
                change(&self.lone);
            }
        }
        change(&self.len);
    }

    /// Moves the oldest plain jobs of this queue to the front of `to`, and returns how many:
    /// `amount` of the present length, evaluated under the lock. The jobs go to the front because
    /// the requesting worker had none; what has arrived there since is younger.
    ///
    /// This takes time for the jobs that are moved, and none for those that stay.
    pub(crate) fn give(&self, to: &Self, amount: impl FnOnce(usize) -> usize) -> usize {
        if self.len() == 0 {
            return 0;
        }
        // One queue at a time: two workers may request from each other.
        let mut jobs = self.all();
        let count = amount(jobs.len());
        let moved = jobs.take_plain(count);
        self.len.fetch_sub(moved.len(), Ordering::SeqCst);
        drop(jobs);
        let count = moved.len();
        to.push_first(moved);
        count
    }
}
