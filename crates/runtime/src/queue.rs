//! The independent jobs that wait for one worker, first come, first served.

use std::collections::VecDeque;

use crate::job::Job;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Mutex, lock};

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
    /// A share of a broadcast, for the worker of this queue and nobody else.
    Bound,
}

pub(crate) struct Queue {
    jobs: Mutex<VecDeque<Queued>>,
    /// How many of them others may take, to be read without the lock.
    len: AtomicUsize,
    /// How many are [`Kind::Bound`].
    bound: AtomicUsize,
    /// How many of them are not [`Kind::Plain`].
    special: AtomicUsize,
}

impl Queue {
    pub(crate) fn new() -> Self {
        Self {
            jobs: Mutex::new(VecDeque::new()),
            len: AtomicUsize::new(0),
            bound: AtomicUsize::new(0),
            special: AtomicUsize::new(0),
        }
    }

    /// How many jobs there are that any worker may run.
    pub(crate) fn len(&self) -> usize {
        // Ordering: SeqCst, so that a worker that is counted as a sleeper and looks at the queues is
        // ordered with a dispatcher that fills one and looks at the sleepers.
        self.len.load(Ordering::SeqCst)
    }

    /// Whether there is a share of a broadcast.
    pub(crate) fn has_bound(&self) -> bool {
        // Ordering: as for `len`.
        self.bound.load(Ordering::SeqCst) > 0
    }

    /// Whether there is nothing, not even for the worker of this queue.
    pub(crate) fn has_nothing(&self) -> bool {
        self.len() == 0 && !self.has_bound()
    }

    pub(crate) fn push(&self, jobs: impl IntoIterator<Item = Queued>) {
        let mut queue = lock(&self.jobs);
        for queued in jobs {
            self.count(queued.kind, 1);
            queue.push_back(queued);
        }
        self.publish(&queue);
    }

    /// Puts jobs before all others, in their order.
    pub(crate) fn push_first(
        &self,
        jobs: impl IntoIterator<Item = Queued, IntoIter: DoubleEndedIterator>,
    ) {
        let mut queue = lock(&self.jobs);
        for queued in jobs.into_iter().rev() {
            self.count(queued.kind, 1);
            queue.push_front(queued);
        }
        self.publish(&queue);
    }

    pub(crate) fn pop(&self) -> Option<Job> {
        if self.has_nothing() {
            return None;
        }
        let mut queue = lock(&self.jobs);
        let first = queue.pop_front()?;
        self.count(first.kind, -1);
        self.publish(&queue);
        Some(first.job)
    }

    /// The oldest share of a broadcast.
    pub(crate) fn pop_bound(&self) -> Option<Job> {
        if !self.has_bound() {
            return None;
        }
        self.pop_if(|queued| queued.kind == Kind::Bound)
    }

    /// The first job for which `may` holds, which it does for no plain job.
    pub(crate) fn pop_if(&self, may: impl Fn(&Queued) -> bool) -> Option<Job> {
        if !self.has_special() {
            return None;
        }
        let mut queue = lock(&self.jobs);
        let place = queue.iter().position(may)?;
        let found = queue.remove(place)?;
        self.count(found.kind, -1);
        self.publish(&queue);
        Some(found.job)
    }

    /// Whether there is a job for which `may` holds, which it does for no plain job.
    pub(crate) fn any(&self, may: impl Fn(&Queued) -> bool) -> bool {
        self.has_special() && lock(&self.jobs).iter().any(may)
    }

    /// A look without the lock, which is nearly always enough.
    fn has_special(&self) -> bool {
        self.special.load(Ordering::SeqCst) > 0
    }

    /// Called with the lock held.
    fn count(&self, kind: Kind, change: isize) {
        // Ordering: as for `len`.
        let add = |count: &AtomicUsize| {
            let before = count.load(Ordering::SeqCst);
            count.store(before.wrapping_add_signed(change), Ordering::SeqCst);
        };
        if kind != Kind::Plain {
            add(&self.special);
        }
        if kind == Kind::Bound {
            add(&self.bound);
        }
    }

    /// Called with the lock held, after the jobs have been counted.
    fn publish(&self, queue: &VecDeque<Queued>) {
        let bound = self.bound.load(Ordering::SeqCst);
        self.len.store(queue.len() - bound, Ordering::SeqCst);
    }

    /// Moves plain jobs from the front of this queue to the front of `to`, as many as `amount` says for
    /// the present length, and returns how many. The others stay: somebody may be looking for them
    /// just now, and would not find them on the way. To the front, because whoever asks had nothing:
    /// what has come there since is younger.
    pub(crate) fn give(&self, to: &Self, amount: impl FnOnce(usize) -> usize) -> usize {
        if self.len() == 0 {
            return 0;
        }
        // One lock at a time: two workers may ask each other.
        let mut moved = Vec::new();
        let mut kept = Vec::new();
        let mut queue = lock(&self.jobs);
        let count = amount(self.len());
        while moved.len() < count {
            match queue.pop_front() {
                Some(queued) if queued.kind == Kind::Plain => moved.push(queued),
                Some(queued) => kept.push(queued),
                None => break,
            }
        }
        kept.into_iter()
            .rev()
            .for_each(|queued| queue.push_front(queued));
        self.publish(&queue);
        drop(queue);
        let count = moved.len();
        to.push_first(moved);
        count
    }
}
