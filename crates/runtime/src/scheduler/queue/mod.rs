//! The independent jobs that wait for one worker, first come, first served.
#![allow(unsafe_code, reason = "jobs arrive as pointers")]

mod jobs;
mod list;
mod plain;
#[cfg(all(test, not(any(loom, shuttle))))]
mod tests;

pub(crate) use list::shrink;

use filch_deque::Padded;
use jobs::Jobs;

use crate::arrivals::{Arrivals, Linked as _};
use crate::scheduler::job::{Carrier, Job, JobHead};
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

/// A queue of two parts, so that dispatchers take no lock. New jobs arrive in one part, a lock-free
/// list, and are moved to the other when that is empty, or when a worker needs more than its first
/// job.
///
/// Calls and children of scopes are *lone* jobs: a request takes one of them at a time, whatever
/// the steal function says, and they do not move to another queue. A worker that looks for one of
/// them would miss it in transit.
pub(crate) struct Queue {
    /// The older jobs.
    jobs: Padded<Mutex<Jobs>>,
    /// Apart from the rest, because dispatchers write here while the worker takes older jobs. Taken
    /// over with the lock of `jobs` held.
    arrived: Padded<Arrivals<JobHead>>,
    /// How many of the older jobs any worker may run. At least one while jobs are taken over.
    /// Written with the lock held.
    ready: AtomicUsize,
    /// How many of the jobs that were ever counted among the arrivals were taken over. Written with
    /// the lock held.
    gathered: AtomicUsize,
    /// How many jobs of both parts are lone. A job is counted before it arrives.
    lone: AtomicUsize,
    /// How many are [`JobKind::Broadcast`], in the same way.
    broadcast: AtomicUsize,
}

impl Queue {
    pub(crate) fn new() -> Self {
        Self {
            jobs: Padded::default(),
            arrived: Padded(Arrivals::new()),
            ready: AtomicUsize::new(0),
            gathered: AtomicUsize::new(0),
            lone: AtomicUsize::new(0),
            broadcast: AtomicUsize::new(0),
        }
    }

    /// How many jobs there are that any worker may run. A job that is just arriving may be missing.
    pub(crate) fn len(&self) -> usize {
        // Ordering: SeqCst, so that a worker that enters the sleepers and then reads the queues is
        // ordered with a dispatcher that fills a queue and then reads the sleepers.
        let gathered = self.gathered.load(Ordering::SeqCst);
        let arrived = self.arrived.counted().wrapping_sub(gathered);
        // A job may be taken over before it is counted.
        let arrived = usize::try_from(arrived.cast_signed()).unwrap_or(0);
        self.ready.load(Ordering::SeqCst) + arrived
    }

    /// Whether there is no job that any worker may run. If a share of a broadcast has just arrived,
    /// this is false until a worker looks for jobs.
    pub(crate) fn is_empty(&self) -> bool {
        // Ordering: as for `len`. The older jobs are looked at before the arrivals because that is
        // cheaper, and after them because jobs may have been taken over meanwhile: then `ready` was
        // written before the list was emptied.
        let is_ready = || self.ready.load(Ordering::SeqCst) > 0;
        !is_ready() && self.arrived.is_empty() && !is_ready()
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
        self.is_empty() && !self.has_shares()
    }

    /// Adds jobs behind all others.
    pub(crate) fn push(&self, jobs: impl IntoIterator<Item = Queued>) {
        let mut jobs = jobs.into_iter();
        let Some(first) = jobs.next() else {
            return;
        };
        let mut shared = 0;
        let mut arrive = |queued: Queued| {
            self.count_special(queued.kind, |count| count.fetch_add(1, Ordering::SeqCst));
            shared += usize::from(queued.kind != JobKind::Broadcast);
            Carrier::wrap(queued)
        };
        let oldest = arrive(first);
        let newest = jobs.fold(oldest, |before, queued| {
            let head = arrive(queued);
            // SAFETY: the job is ours until it is pushed.
            unsafe { JobHead::set_next(head, before.as_ptr()) };
            head
        });
        // SAFETY: a job lives until it is run, and only its queue uses its link. It leaves the
        // queue before it is run.
        unsafe { self.arrived.push(newest, oldest, shared) };
    }

    /// Puts a job before all others, for the worker of this queue. It continues with the newest of
    /// these jobs, and others begin with the oldest.
    pub(crate) fn push_spawned(&self, job: Job) {
        let mut older = lock(&self.jobs);
        older.push_spawned(job);
        self.set_ready(&older);
    }

    /// The newest job that the worker has spawned to be run before all else.
    pub(crate) fn pop_newest_spawned(&self) -> Option<Job> {
        self.pop_spawned(Jobs::pop_newest_spawned)
    }

    /// The oldest of these jobs.
    pub(crate) fn pop_oldest_spawned(&self) -> Option<Job> {
        self.pop_spawned(Jobs::pop_oldest_spawned)
    }

    fn pop_spawned(&self, pop: impl FnOnce(&mut Jobs) -> Option<Queued>) -> Option<Job> {
        if self.is_empty() {
            return None;
        }
        let mut jobs = lock(&self.jobs);
        let job = pop(&mut jobs);
        self.taken(&jobs, job)
    }

    /// Puts plain jobs before all others that have arrived, in their order.
    fn push_first(&self, jobs: Vec<Job>) {
        let mut older = lock(&self.jobs);
        for job in jobs.into_iter().rev() {
            older.push_first(job);
        }
        self.set_ready(&older);
    }

    /// The first job. `begin` is called under the lock, so that a worker that [requests
    /// jobs](Self::give) never finds the job gone and the worker of this queue not busy.
    pub(crate) fn pop(&self, begin: impl FnOnce()) -> Option<Job> {
        if self.has_nothing() {
            return None;
        }
        let mut jobs = lock(&self.jobs);
        if jobs.is_empty() {
            self.gather(&mut jobs);
        }
        let first = jobs.pop();
        if first.is_some() {
            begin();
        }
        self.taken(&jobs, first)
    }

    /// The first share of a broadcast for which `may` holds.
    pub(crate) fn pop_share(&self, may: impl Fn(&Job) -> bool) -> Option<Job> {
        if !self.has_shares() {
            return None;
        }
        self.take_of_all(|jobs| jobs.pop_share(may))
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
        self.take_of_all(|jobs| jobs.pop_call(may))
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
        self.take_of_all(|jobs| jobs.pop_child(scope))
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
        self.take_of_all(Jobs::pop_lone)
    }

    /// The oldest job that any worker may run, if the worker of this queue does not: first of those
    /// that it has spawned, then of those that have arrived.
    pub(crate) fn pop_shared(&self) -> Option<Job> {
        if self.is_empty() {
            return None;
        }
        self.take_of_all(Jobs::pop_shared)
    }

    /// All jobs, in one part.
    fn all(&self) -> MutexGuard<'_, Jobs> {
        let mut jobs = lock(&self.jobs);
        self.gather(&mut jobs);
        self.set_ready(&jobs);
        jobs
    }

    fn take_of_all(&self, pop: impl FnOnce(&mut Jobs) -> Option<Queued>) -> Option<Job> {
        let mut jobs = self.all();
        let job = pop(&mut jobs);
        self.taken(&jobs, job)
    }

    /// Takes over what has arrived. The caller sets `ready` when it has taken what it wants.
    fn gather(&self, jobs: &mut Jobs) {
        if self.arrived.is_empty() {
            return;
        }
        // Jobs must not be out of sight on their way: a worker that sees neither those that have
        // arrived nor those that are ready falls asleep.
        // Ordering: published by the exchange that empties the list.
        self.ready.store(jobs.len() + 1, Ordering::Relaxed);
        let mut counted = 0;
        for head in self.arrived.take() {
            // SAFETY: `push` wrapped the job. It has left the arrivals, and lives until it is run.
            let kind = unsafe { jobs.push(head) };
            counted += usize::from(kind != JobKind::Broadcast);
        }
        // Ordering: only the holder of the lock writes this.
        let gathered = self.gathered.load(Ordering::Relaxed);
        self.gathered
            .store(gathered.wrapping_add(counted), Ordering::Release);
    }

    /// Called with the lock held, when the worker that takes a job is marked as busy.
    fn taken(&self, jobs: &Jobs, queued: Option<Queued>) -> Option<Job> {
        self.set_ready(jobs);
        let Queued { job, kind } = queued?;
        self.count_special(kind, |count| count.fetch_sub(1, Ordering::SeqCst));
        Some(job)
    }

    fn set_ready(&self, jobs: &Jobs) {
        let ready = jobs.len();
        // Ordering: SeqCst where there is more than before, as for `len`. Where there is less, a
        // worker that falls asleep may learn of it late. Release pairs with the load in
        // `has_nothing`: a thread that finds no job sees the worker busy that has taken it.
        if ready < self.ready.load(Ordering::Relaxed) {
            self.ready.store(ready, Ordering::Release);
        } else {
            self.ready.store(ready, Ordering::SeqCst);
        }
    }

    /// Changes the counts of jobs that are not plain.
    fn count_special(&self, kind: JobKind, change: impl Fn(&AtomicUsize) -> usize) {
        match kind {
            JobKind::Plain => {}
            JobKind::Broadcast => {
                change(&self.broadcast);
            }
            JobKind::Call | JobKind::Scope(_) => {
                change(&self.lone);
            }
        }
    }

    /// Moves the oldest plain jobs of this queue to the front of `to`, and returns how many:
    /// `amount` of the present length, evaluated under the lock. The jobs go to the front because
    /// the requesting worker had none; what has arrived there since is younger.
    ///
    /// This takes time for the jobs that are moved, and none for those that stay.
    pub(crate) fn give(&self, to: &Self, amount: impl FnOnce(usize) -> usize) -> usize {
        if self.is_empty() {
            return 0;
        }
        // One queue at a time: two workers may request from each other.
        let mut jobs = self.all();
        let count = amount(jobs.len());
        let moved = jobs.take_plain(count);
        self.set_ready(&jobs);
        drop(jobs);
        let count = moved.len();
        to.push_first(moved);
        count
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // Frees the carriers of jobs that no worker has run.
        self.gather(&mut lock(&self.jobs));
    }
}
