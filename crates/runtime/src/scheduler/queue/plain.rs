//! Plain jobs in the order of their arrival, linked through their own memory.

use core::ptr::NonNull;
use std::collections::VecDeque;

use super::list::{Ticket, shrink};
use super::{Job, Queued};
use crate::arrivals::Linked as _;
use crate::scheduler::job::{Carrier, JobHead};

/// Plain jobs as they arrived: a job on its own, or in a carrier. A job is not moved when it is
/// added or taken, and needs no memory of the queue.
#[derive(Default)]
pub(super) struct PlainJobs {
    runs: VecDeque<Run>,
    len: usize,
}

/// Jobs with consecutive tickets. Another run begins where a job of another kind came in between.
struct Run {
    /// The ticket of the first job.
    ticket: Ticket,
    first: NonNull<JobHead>,
    last: NonNull<JobHead>,
    len: usize,
}

// SAFETY: the list owns the jobs that it points to, and a job may be sent.
unsafe impl Send for PlainJobs {}

impl PlainJobs {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// How many runs there is memory for.
    #[cfg(all(test, not(any(loom, shuttle))))]
    pub(super) fn room(&self) -> usize {
        self.runs.capacity()
    }

    /// The ticket of the first job.
    pub(super) fn first(&self) -> Option<Ticket> {
        self.runs.front().map(|run| run.ticket)
    }

    /// Adds a job behind all others, with a larger ticket than theirs.
    ///
    /// # Safety
    ///
    /// The job lives until it is popped. It came from [`Carrier::wrap`], its link is used by this
    /// list only, and it is in no other.
    pub(super) unsafe fn push(&mut self, ticket: Ticket, job: NonNull<JobHead>) {
        self.len += 1;
        match self.runs.back_mut() {
            Some(run) if run.ticket + run.len as Ticket == ticket => {
                // SAFETY: the last job of a run is in the list, so it lives and its link is ours.
                unsafe { JobHead::set_next(run.last, job.as_ptr()) };
                run.last = job;
                run.len += 1;
            }
            _ => self.runs.push_back(Run::of(ticket, job)),
        }
    }

    /// Adds a job before all others, with a smaller ticket than theirs.
    ///
    /// # Safety
    ///
    /// As for [`push`](Self::push).
    pub(super) unsafe fn push_first(&mut self, ticket: Ticket, job: NonNull<JobHead>) {
        self.len += 1;
        match self.runs.front_mut() {
            Some(run) if run.ticket == ticket + 1 => {
                // SAFETY: the link of the new job is ours, as the caller promises.
                unsafe { JobHead::set_next(job, run.first.as_ptr()) };
                run.first = job;
                run.ticket = ticket;
                run.len += 1;
            }
            _ => self.runs.push_front(Run::of(ticket, job)),
        }
    }

    /// Takes the first job.
    pub(super) fn pop(&mut self) -> Option<Queued> {
        let run = self.runs.front_mut()?;
        let job = run.first;
        self.len -= 1;
        if run.len == 1 {
            self.runs.pop_front();
            shrink(&mut self.runs);
        } else {
            // SAFETY: the job is in the list, so it lives. It is not the last of its run, so its
            // link was written.
            let next = unsafe { JobHead::next(job) };
            // SAFETY: it was linked to a job.
            run.first = unsafe { NonNull::new_unchecked(next) };
            run.ticket += 1;
            run.len -= 1;
        }
        // SAFETY: the job was wrapped, as the callers of `push` promise, and has left the list.
        Some(unsafe { Carrier::unwrap(job) })
    }

    /// Takes the first `count` jobs.
    pub(super) fn take(&mut self, count: usize) -> impl Iterator<Item = Job> {
        let jobs = core::iter::from_fn(|| self.pop());
        jobs.take(count).map(|queued| queued.job)
    }
}

impl Run {
    fn of(ticket: Ticket, job: NonNull<JobHead>) -> Self {
        let (first, last, len) = (job, job, 1);
        Self {
            ticket,
            first,
            last,
            len,
        }
    }
}

impl Drop for PlainJobs {
    fn drop(&mut self) {
        // Frees the carriers of jobs that no worker has run.
        while self.pop().is_some() {}
    }
}
