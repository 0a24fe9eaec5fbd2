//! The jobs of a queue by kind, so that each kind is found without a look at the others.

use core::ptr::NonNull;
use std::collections::{BTreeMap, VecDeque};

use super::list::{List, Ticket, shrink};
use super::plain::PlainJobs;
use super::{Job, JobKind, Queued};
use crate::scheduler::job::{Carrier, JobHead};

/// Jobs of all kinds in one order: each has a ticket, and the smallest ticket comes first.
#[derive(Default)]
pub(super) struct Jobs {
    /// What the worker itself has spawned to be run before all else, the newest last. All are
    /// plain.
    spawned: VecDeque<Job>,
    plain: PlainJobs,
    calls: List,
    shares: List,
    children: Children,
    /// The ticket of the next job that arrives.
    next: Ticket,
    /// The ticket of the last job that was put before all others.
    first: Ticket,
}

impl Jobs {
    /// How many any worker may run.
    pub(super) fn len(&self) -> usize {
        self.spawned.len() + self.plain.len() + self.calls.len() + self.children.len
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() + self.shares.len() == 0
    }

    /// How many jobs there is memory for.
    #[cfg(all(test, not(any(loom, shuttle))))]
    pub(super) fn room(&self) -> usize {
        let lists = [&self.calls, &self.shares, &self.children.unused];
        let lists = lists.into_iter().chain(self.children.of_scope.values());
        lists.map(List::room).sum::<usize>() + self.plain.room() + self.spawned.capacity()
    }

    /// Takes over a job that has arrived, and returns its kind.
    ///
    /// # Safety
    ///
    /// The job came from [`Carrier::wrap`] and lives, its link is used by these lists only, and it
    /// is in none of them.
    pub(super) unsafe fn push(&mut self, arrived: NonNull<JobHead>) -> JobKind {
        let ticket = self.next;
        self.next += 1;
        // SAFETY: as the caller promises.
        let kind = unsafe { Carrier::kind(arrived) };
        // SAFETY: as the caller promises. It goes into one list.
        let job = || unsafe { Carrier::unwrap(arrived) }.job;
        match kind {
            // SAFETY: as the caller promises.
            JobKind::Plain => unsafe { self.plain.push(ticket, arrived) },
            JobKind::Call => self.calls.push(ticket, job()),
            JobKind::Broadcast => self.shares.push(ticket, job()),
            JobKind::Scope(scope) => self.children.push(scope, ticket, job()),
        }
        kind
    }

    pub(super) fn push_spawned(&mut self, job: Job) {
        self.spawned.push_back(job);
    }

    pub(super) fn pop_newest_spawned(&mut self) -> Option<Queued> {
        let job = self.spawned.pop_back();
        shrink(&mut self.spawned);
        job.map(plain)
    }

    pub(super) fn pop_oldest_spawned(&mut self) -> Option<Queued> {
        let job = self.spawned.pop_front();
        shrink(&mut self.spawned);
        job.map(plain)
    }

    /// Puts a plain job before all others that have arrived.
    pub(super) fn push_first(&mut self, job: Job) {
        self.first -= 1;
        let job = Carrier::wrap(plain(job));
        // SAFETY: it was just wrapped. A job that was passed by value is in no list, and lives
        // until it is run.
        unsafe { self.plain.push_first(self.first, job) };
    }

    /// The first job, for the worker of the queue.
    pub(super) fn pop(&mut self) -> Option<Queued> {
        if self.has_only_plain() {
            return self.plain.pop();
        }
        if let Some(newest) = self.pop_newest_spawned() {
            return Some(newest);
        }
        let share = self.shares.first();
        if share.is_some() && earlier(share, self.first_shared()) {
            return self.pop_share(|_| true);
        }
        self.pop_shared()
    }

    /// Whether no job has a kind of its own or was spawned by the worker: the common case.
    fn has_only_plain(&self) -> bool {
        self.spawned.len() + self.calls.len() + self.shares.len() + self.children.len == 0
    }

    /// The oldest job that is no share of a broadcast.
    pub(super) fn pop_shared(&mut self) -> Option<Queued> {
        if let Some(oldest) = self.pop_oldest_spawned() {
            return Some(oldest);
        }
        if earlier(self.plain.first(), self.first_lone()) {
            return self.plain.pop();
        }
        self.pop_lone()
    }

    /// The first call or child of a scope.
    pub(super) fn pop_lone(&mut self) -> Option<Queued> {
        if earlier(self.calls.first(), self.children.first()) {
            self.pop_call(|_| true)
        } else {
            self.pop_child(self.children.first_scope()?)
        }
    }

    fn first_shared(&self) -> Option<Ticket> {
        first_of(self.plain.first(), self.first_lone())
    }

    fn first_lone(&self) -> Option<Ticket> {
        first_of(self.calls.first(), self.children.first())
    }

    pub(super) fn pop_call(&mut self, may: impl Fn(&Job) -> bool) -> Option<Queued> {
        let (job, kind) = (self.calls.pop_if(may)?, JobKind::Call);
        Some(Queued { job, kind })
    }

    pub(super) fn has_call(&self, may: impl Fn(&Job) -> bool) -> bool {
        self.calls.any(may)
    }

    pub(super) fn pop_share(&mut self, may: impl Fn(&Job) -> bool) -> Option<Queued> {
        let (job, kind) = (self.shares.pop_if(may)?, JobKind::Broadcast);
        Some(Queued { job, kind })
    }

    pub(super) fn has_share(&self, may: impl Fn(&Job) -> bool) -> bool {
        self.shares.any(may)
    }

    pub(super) fn pop_child(&mut self, scope: usize) -> Option<Queued> {
        let (job, kind) = (self.children.pop(scope)?, JobKind::Scope(scope));
        Some(Queued { job, kind })
    }

    pub(super) fn has_child(&self, scope: usize) -> bool {
        self.children.of_scope.contains_key(&scope)
    }

    /// The oldest `count` plain jobs: first of those that the worker has spawned.
    pub(super) fn take_plain(&mut self, count: usize) -> Vec<Job> {
        let spawned = count.min(self.spawned.len());
        let mut taken: Vec<Job> = self.spawned.drain(..spawned).collect();
        shrink(&mut self.spawned);
        taken.extend(self.plain.take(count - spawned));
        taken
    }
}

fn plain(job: Job) -> Queued {
    let kind = JobKind::Plain;
    Queued { job, kind }
}

/// The smaller ticket, if there is one.
fn first_of(one: Option<Ticket>, other: Option<Ticket>) -> Option<Ticket> {
    if earlier(one, other) { one } else { other }
}

/// Whether there is a ticket `one`, and no smaller one in `other`.
fn earlier(one: Option<Ticket>, other: Option<Ticket>) -> bool {
    one.is_some_and(|one| other.is_none_or(|other| one < other))
}

/// The children of scopes: by scope, and by the ticket of the first child of each.
#[derive(Default)]
struct Children {
    of_scope: BTreeMap<usize, List>,
    scopes: BTreeMap<Ticket, usize>,
    len: usize,
    /// An empty list for the next scope.
    unused: List,
}

impl Children {
    fn first(&self) -> Option<Ticket> {
        self.scopes.first_key_value().map(|(ticket, _)| *ticket)
    }

    fn first_scope(&self) -> Option<usize> {
        self.scopes.first_key_value().map(|(_, scope)| *scope)
    }

    fn push(&mut self, scope: usize, ticket: Ticket, job: Job) {
        self.len += 1;
        let of_scope = self.of_scope.entry(scope).or_insert_with(|| {
            self.scopes.insert(ticket, scope);
            core::mem::take(&mut self.unused)
        });
        of_scope.push(ticket, job);
    }

    fn pop(&mut self, scope: usize) -> Option<Job> {
        let of_scope = self.of_scope.get_mut(&scope)?;
        let ticket = of_scope.first()?;
        let job = of_scope.pop()?;
        self.len -= 1;
        self.scopes.remove(&ticket);
        match of_scope.first() {
            Some(next) => {
                self.scopes.insert(next, scope);
            }
            None => self.unused = self.of_scope.remove(&scope).unwrap_or_default(),
        }
        Some(job)
    }
}
