//! Jobs in the order of their arrival.

use std::collections::VecDeque;

use super::Job;

/// A job's place in the order of its queue: the smaller comes first.
pub(super) type Ticket = i64;

/// Jobs with their tickets, the smallest first.
#[derive(Default)]
pub(super) struct List {
    jobs: VecDeque<(Ticket, Job)>,
}

impl List {
    pub(super) fn len(&self) -> usize {
        self.jobs.len()
    }

    #[cfg(all(test, not(any(loom, shuttle))))]
    pub(super) fn room(&self) -> usize {
        self.jobs.capacity()
    }

    pub(super) fn first(&self) -> Option<Ticket> {
        self.jobs.front().map(|(ticket, _)| *ticket)
    }

    pub(super) fn push(&mut self, ticket: Ticket, job: Job) {
        self.jobs.push_back((ticket, job));
    }

    pub(super) fn pop(&mut self) -> Option<Job> {
        let (_, job) = self.jobs.pop_front()?;
        shrink(&mut self.jobs);
        Some(job)
    }

    /// The first job for which `may` holds.
    pub(super) fn pop_if(&mut self, may: impl Fn(&Job) -> bool) -> Option<Job> {
        let index = self.jobs.iter().position(|(_, job)| may(job))?;
        let (_, job) = self.jobs.remove(index)?;
        shrink(&mut self.jobs);
        Some(job)
    }

    pub(super) fn any(&self, may: impl Fn(&Job) -> bool) -> bool {
        self.jobs.iter().any(|(_, job)| may(job))
    }
}

/// A queue that has held many jobs keeps room for this many.
const KEPT: usize = 1024;

/// Gives memory back after a burst. The room is halved when a quarter is used, so that each job
/// pays for a constant number of moves.
pub(crate) fn shrink<T>(jobs: &mut VecDeque<T>) {
    let room = jobs.capacity();
    if room > 2 * KEPT && jobs.len() < room / 4 {
        jobs.shrink_to(room / 2);
    }
}
