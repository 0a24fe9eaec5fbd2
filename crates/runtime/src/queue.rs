//! The independent jobs that wait for one worker, first come, first served.

use std::collections::VecDeque;

use crate::job::Job;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Mutex, MutexGuard, lock};

/// A job in a queue, and who may run it besides an idle worker.
pub(crate) struct Queued {
    pub(crate) job: Job,
    pub(crate) kind: Kind,
}

/// Where a queued job comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An independent job, or work installed by a thread that is in no pool.
    Plain,
    /// Work from a worker of another pool. A worker of this pool that itself waits for another pool
    /// may run it (see [`Call`](crate::call::Call)).
    Call,
    /// A child of the scope at this address, spawned from outside the pool. The worker that waits
    /// for the scope may run it.
    Scope(usize),
}

/// Two lists, so that those who bring jobs and the worker who takes them seldom meet at a lock: what
/// has arrived since is moved to the other list when that is empty, or when somebody looks for
/// more than its first job.
pub(crate) struct Queue {
    /// The older jobs. Its lock is taken before that of `arrived`.
    jobs: Mutex<VecDeque<Queued>>,
    arrived: Mutex<VecDeque<Queued>>,
    /// The length of both, to be read without a lock.
    len: AtomicUsize,
    /// How many of them are not [`Kind::Plain`].
    special: AtomicUsize,
}

impl Queue {
    pub(crate) fn new() -> Self {
        Self {
            jobs: Mutex::new(VecDeque::new()),
            arrived: Mutex::new(VecDeque::new()),
            len: AtomicUsize::new(0),
            special: AtomicUsize::new(0),
        }
    }

    pub(crate) fn len(&self) -> usize {
        // Ordering: SeqCst, so that a worker that is counted as a sleeper and looks at the queues is
        // ordered with a dispatcher that fills one and looks at the sleepers.
        self.len.load(Ordering::SeqCst)
    }

    pub(crate) fn push(&self, jobs: impl IntoIterator<Item = Queued>) {
        let mut arrived = lock(&self.arrived);
        let before = arrived.len();
        for queued in jobs {
            if queued.kind != Kind::Plain {
                self.special.fetch_add(1, Ordering::SeqCst);
            }
            arrived.push_back(queued);
        }
        // With the lock held: nobody takes a job out that is not counted.
        self.len.fetch_add(arrived.len() - before, Ordering::SeqCst);
    }

    /// The first job. `begin` is called with the lock held, so that nobody who [asks](Self::give) finds the
    /// queue without the job and its worker without one.
    pub(crate) fn pop(&self, begin: impl FnOnce()) -> Option<Job> {
        if self.len() == 0 {
            return None;
        }
        let mut jobs = lock(&self.jobs);
        if jobs.is_empty() {
            self.gather(&mut jobs);
        }
        let first = jobs.pop_front()?;
        begin();
        self.taken(first.kind);
        Some(first.job)
    }

    /// The first job for which `may` holds, which it does for no plain job.
    pub(crate) fn pop_if(&self, may: impl Fn(&Queued) -> bool) -> Option<Job> {
        if !self.has_special() {
            return None;
        }
        let mut jobs = self.all();
        let place = jobs.iter().position(may)?;
        let found = jobs.remove(place)?;
        self.taken(found.kind);
        Some(found.job)
    }

    /// Whether there is a job for which `may` holds, which it does for no plain job.
    pub(crate) fn any(&self, may: impl Fn(&Queued) -> bool) -> bool {
        self.has_special() && self.all().iter().any(may)
    }

    /// A look without the lock, which is nearly always enough.
    fn has_special(&self) -> bool {
        self.special.load(Ordering::SeqCst) > 0
    }

    /// All jobs, in one list.
    fn all(&self) -> MutexGuard<'_, VecDeque<Queued>> {
        let mut jobs = lock(&self.jobs);
        self.gather(&mut jobs);
        jobs
    }

    fn gather(&self, jobs: &mut VecDeque<Queued>) {
        let mut arrived = lock(&self.arrived);
        if jobs.is_empty() {
            core::mem::swap(jobs, &mut arrived);
        } else {
            jobs.append(&mut arrived);
        }
    }

    /// Called with the lock held.
    fn taken(&self, kind: Kind) {
        self.len.fetch_sub(1, Ordering::SeqCst);
        if kind != Kind::Plain {
            self.special.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Moves plain jobs from the front of this queue to the back of `to`, as many as `amount` says for
    /// the present length (with the lock held), and returns how many. The others stay: somebody may be looking for them
    /// just now, and would not find them on the way.
    pub(crate) fn give(&self, to: &Self, amount: impl FnOnce(usize) -> usize) -> usize {
        if self.len() == 0 {
            return 0;
        }
        // One queue at a time: two workers may ask each other.
        let mut moved = Vec::new();
        let mut kept = Vec::new();
        let mut jobs = self.all();
        let count = amount(jobs.len());
        while moved.len() < count {
            match jobs.pop_front() {
                Some(queued) if queued.kind == Kind::Plain => moved.push(queued),
                Some(queued) => kept.push(queued),
                None => break,
            }
        }
        kept.into_iter()
            .rev()
            .for_each(|queued| jobs.push_front(queued));
        self.len.fetch_sub(moved.len(), Ordering::SeqCst);
        drop(jobs);
        let count = moved.len();
        to.push(moved);
        count
    }
}
