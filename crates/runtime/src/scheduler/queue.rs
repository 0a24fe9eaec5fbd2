//! The independent jobs that wait for one worker, first come, first served.

use std::collections::VecDeque;

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

impl JobKind {
    /// Whether a request takes this job by itself, whatever the steal function says.
    pub(crate) fn goes_alone(self) -> bool {
        matches!(self, Self::Call | Self::Scope(_))
    }
}

/// A queue in parts, so that dispatchers and the worker rarely contend for a lock. New jobs arrive
/// in one list, and are moved to the other when that is empty, or when a worker needs more than its
/// first job.
pub(crate) struct Queue {
    /// The lock is taken before that of `arrived`.
    own: Mutex<Lists>,
    arrived: Mutex<VecDeque<Queued>>,
    /// How many jobs of both lists any worker may run. Read without a lock.
    len: AtomicUsize,
    /// How many are [`JobKind::Broadcast`].
    broadcast: AtomicUsize,
    /// How many are not [`JobKind::Plain`].
    special: AtomicUsize,
}

#[derive(Default)]
struct Lists {
    /// What the worker itself has spawned to be run before all else, the newest last. All are
    /// [`JobKind::Plain`]. The worker continues with the newest, and others begin with the oldest.
    spawned: VecDeque<Job>,
    /// The jobs that have arrived, the oldest first.
    jobs: VecDeque<Queued>,
}

impl Queue {
    pub(crate) fn new() -> Self {
        Self {
            own: Mutex::default(),
            arrived: Mutex::new(VecDeque::new()),
            len: AtomicUsize::new(0),
            broadcast: AtomicUsize::new(0),
            special: AtomicUsize::new(0),
        }
    }

    /// How many jobs there are that any worker may run.
    pub(crate) fn len(&self) -> usize {
        // Ordering: SeqCst, so that a worker that enters the sleepers and then reads the queues is
        // ordered with a dispatcher that fills a queue and then reads the sleepers.
        self.len.load(Ordering::SeqCst)
    }

    /// Whether there is a share of a broadcast.
    fn has_broadcast(&self) -> bool {
        // Ordering: as for `len`.
        self.broadcast.load(Ordering::SeqCst) > 0
    }

    /// Whether there are no jobs at all, shares of broadcasts included.
    pub(crate) fn has_nothing(&self) -> bool {
        self.len() == 0 && !self.has_broadcast()
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
            arrived.push_back(queued);
        }
        self.len.fetch_add(plain, Ordering::SeqCst);
    }

    /// Puts a job before all others.
    pub(crate) fn push_spawned(&self, job: Job) {
        let mut own = lock(&self.own);
        self.added(JobKind::Plain);
        own.spawned.push_back(job);
    }

    /// Puts jobs before all others that have arrived, in their order.
    fn push_first(&self, jobs: Vec<Job>) {
        let mut own = lock(&self.own);
        for job in jobs.into_iter().rev() {
            let kind = JobKind::Plain;
            self.added(kind);
            own.jobs.push_front(Queued { job, kind });
        }
    }

    /// The newest job that the worker has spawned to be run before all else.
    pub(crate) fn pop_newest_spawned(&self) -> Option<Job> {
        self.pop_spawned(VecDeque::pop_back)
    }

    /// The oldest of these jobs.
    pub(crate) fn pop_oldest_spawned(&self) -> Option<Job> {
        self.pop_spawned(VecDeque::pop_front)
    }

    fn pop_spawned(&self, pop: impl FnOnce(&mut VecDeque<Job>) -> Option<Job>) -> Option<Job> {
        if self.len() == 0 {
            return None;
        }
        let mut own = lock(&self.own);
        let job = pop(&mut own.spawned)?;
        self.taken(JobKind::Plain);
        Some(job)
    }

    /// The first job. `begin` is called under the lock, so that a worker that [requests
    /// jobs](Self::give) never finds the job gone and the worker of this queue not busy.
    pub(crate) fn pop(&self, begin: impl FnOnce()) -> Option<Job> {
        if self.has_nothing() {
            return None;
        }
        let mut own = lock(&self.own);
        let first = match own.spawned.pop_back() {
            Some(job) => Queued {
                job,
                kind: JobKind::Plain,
            },
            None => {
                if own.jobs.is_empty() {
                    self.gather(&mut own.jobs);
                }
                own.jobs.pop_front()?
            }
        };
        begin();
        self.taken(first.kind);
        Some(first.job)
    }

    /// The first job for which `may` holds. It holds for no plain job.
    pub(crate) fn pop_if(&self, may: impl Fn(&Queued) -> bool) -> Option<Job> {
        if !self.has_special() {
            return None;
        }
        self.pop_first(may)
    }

    /// The oldest job that any worker may run, if the worker of this queue does not: first of those
    /// that it has spawned, then of those that have arrived.
    pub(crate) fn pop_shared(&self) -> Option<Job> {
        if self.len() == 0 {
            return None;
        }
        self.pop_oldest_spawned()
            .or_else(|| self.pop_first(|queued| queued.kind != JobKind::Broadcast))
    }

    fn pop_first(&self, may: impl Fn(&Queued) -> bool) -> Option<Job> {
        let mut own = self.all();
        let index = own.jobs.iter().position(may)?;
        let found = own.jobs.remove(index)?;
        self.taken(found.kind);
        Some(found.job)
    }

    /// Whether there is a job for which `may` holds. It holds for no plain job.
    pub(crate) fn any(&self, may: impl Fn(&Queued) -> bool) -> bool {
        self.has_special() && self.all().jobs.iter().any(may)
    }

    /// A check without the lock, which is nearly always enough.
    fn has_special(&self) -> bool {
        self.special.load(Ordering::SeqCst) > 0
    }

    /// All jobs, in two lists.
    fn all(&self) -> MutexGuard<'_, Lists> {
        let mut own = lock(&self.own);
        self.gather(&mut own.jobs);
        own
    }

    fn gather(&self, jobs: &mut VecDeque<Queued>) {
        let mut arrived = lock(&self.arrived);
        if jobs.is_empty() {
            core::mem::swap(jobs, &mut arrived);
        } else {
            jobs.append(&mut arrived);
        }
    }

    /// Called with the lock of its list held.
    fn added(&self, kind: JobKind) {
        self.count(kind, |count| count.fetch_add(1, Ordering::SeqCst));
    }

    /// Called with the lock held.
    fn taken(&self, kind: JobKind) {
        self.count(kind, |count| count.fetch_sub(1, Ordering::SeqCst));
    }

    /// The special count first: a worker that sees the other count goes on to take the lock,
    /// instead of spinning on a job that is only half counted.
    fn count(&self, kind: JobKind, change: impl Fn(&AtomicUsize) -> usize) {
        if kind != JobKind::Plain {
            change(&self.special);
        }
        let length = match kind {
            JobKind::Broadcast => &self.broadcast,
            _ => &self.len,
        };
        change(length);
    }

    /// Moves the oldest plain jobs of this queue to the front of `to`, and returns how many:
    /// `amount` of the present length, evaluated under the lock. Other jobs stay, because a worker
    /// that looks for one of them just now would miss it in transit. The jobs go to the front
    /// because the requesting worker had none; what has arrived there since is younger.
    pub(crate) fn give(&self, to: &Self, amount: impl FnOnce(usize) -> usize) -> usize {
        if self.len() == 0 {
            return 0;
        }
        // One queue at a time: two workers may request from each other.
        let mut moved = Vec::new();
        let mut kept = Vec::new();
        let mut own = self.all();
        let Lists { spawned, jobs } = &mut *own;
        let theirs = |queued: &&Queued| queued.kind == JobKind::Broadcast;
        let broadcast = if self.has_broadcast() {
            jobs.iter().filter(theirs).count()
        } else {
            0
        };
        let count = amount(spawned.len() + jobs.len() - broadcast);
        moved.extend(spawned.drain(..count.min(spawned.len())));
        while moved.len() < count {
            match jobs.pop_front() {
                Some(queued) if queued.kind == JobKind::Plain => moved.push(queued.job),
                Some(queued) => kept.push(queued),
                None => break,
            }
        }
        kept.into_iter()
            .rev()
            .for_each(|queued| jobs.push_front(queued));
        self.len.fetch_sub(moved.len(), Ordering::SeqCst);
        drop(own);
        let count = moved.len();
        to.push_first(moved);
        count
    }
}
