use alloc::vec::Vec;

use super::scratch::Scratch;

/// How a batch was spread: the number of jobs that each server gets.
///
/// One assignment serves for all batches of a run. Its memory is taken once, for the number of
/// servers, and emptying it takes time proportional to the recipients of the last batch.
#[derive(Clone, Debug, Default)]
pub struct Assignment {
    /// Jobs by server; zero but for the recipients.
    jobs: Vec<u32>,
    /// The recipients, if they got their jobs one by one.
    listed: Scratch<u32>,
    /// The number of recipients, if they got their jobs all together. They are not listed then but
    /// found by looking at all servers.
    unlisted: usize,
}

/// If one server in eight or more is a recipient, clearing all at once is faster.
const MANY: usize = 8;

impl Assignment {
    /// An empty assignment over `servers` servers. It also serves for a dispatcher of fewer: the
    /// others get nothing.
    pub fn over(servers: usize) -> Self {
        let mut assignment = Self::default();
        assignment.resize(servers);
        assignment
    }

    /// Empties the assignment and makes it one over `servers` servers.
    pub fn resize(&mut self, servers: usize) {
        self.clear();
        self.jobs.resize(servers, 0);
        self.listed.reserve(servers);
    }

    /// The servers that get jobs, each once with its number of jobs, in no particular order.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (usize, u32)> + '_ {
        Recipients {
            jobs: &self.jobs,
            listed: self.listed.iter(),
            next: 0,
            unlisted: self.unlisted,
        }
    }

    /// The number of jobs for each server, 0 for those that get none.
    #[inline]
    pub fn by_server(&self) -> &[u32] {
        &self.jobs
    }

    /// The number of jobs for `server`.
    #[inline]
    pub fn jobs(&self, server: usize) -> u32 {
        self.jobs[server]
    }

    /// The number of servers that get jobs, which is the number of sub-batches.
    #[inline]
    pub fn recipients(&self) -> usize {
        self.listed.len() + self.unlisted
    }

    /// Takes all jobs back. A policy does this before it assigns a new batch.
    #[inline]
    pub fn clear(&mut self) {
        if self.unlisted > 0 || MANY * self.listed.len() >= self.jobs.len() {
            self.listed.clear();
            self.unlisted = 0;
            self.jobs.fill(0);
        }
        for server in self.listed.drain(..) {
            self.jobs[server as usize] = 0;
        }
    }

    /// Gives `server` more `jobs`.
    #[inline]
    pub fn give(&mut self, server: usize, jobs: u32) {
        if jobs == 0 {
            return;
        }
        let given = &mut self.jobs[server];
        if *given == 0 {
            if self.unlisted == 0 {
                self.listed.push(server as u32);
            } else {
                self.unlisted += 1;
            }
        }
        *given += jobs;
    }

    /// Gives `jobs`, at least one, to `server`, which has got none yet.
    #[inline]
    pub(super) fn give_first(&mut self, server: usize, jobs: u32) {
        debug_assert!(self.jobs[server] == 0 && jobs > 0 && self.unlisted == 0);
        self.jobs[server] = jobs;
        self.listed.push(server as u32);
    }

    /// Gives these `servers`, which have got none yet, their `jobs`, perhaps none.
    #[inline]
    pub(super) fn give_each(&mut self, servers: &[u32], jobs: &[u32]) {
        for (&server, &jobs) in servers.iter().zip(jobs) {
            if jobs > 0 {
                self.give_first(server as usize, jobs);
            }
        }
    }

    /// Gives all of the first `servers` their jobs at once, perhaps none: `fill` overwrites the
    /// numbers of jobs and returns how many servers get some.
    #[inline]
    pub(super) fn give_all(&mut self, servers: usize, fill: impl FnOnce(&mut [u32]) -> usize) {
        self.listed.clear();
        let (given, beyond) = self.jobs.split_at_mut(servers);
        beyond.fill(0);
        self.unlisted = fill(given);
    }
}

/// What [`Assignment::iter`] gives.
struct Recipients<'a> {
    jobs: &'a [u32],
    listed: core::slice::Iter<'a, u32>,
    /// The server to look at next for one that is not listed, and how many are still to be found.
    next: usize,
    unlisted: usize,
}

impl Iterator for Recipients<'_> {
    type Item = (usize, u32);

    #[inline]
    fn next(&mut self) -> Option<(usize, u32)> {
        if let Some(&server) = self.listed.next() {
            return Some((server as usize, self.jobs[server as usize]));
        }
        if self.unlisted == 0 {
            return None;
        }
        while self.jobs[self.next] == 0 {
            self.next += 1;
        }
        let server = self.next;
        self.next += 1;
        self.unlisted -= 1;
        Some((server, self.jobs[server]))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.listed.len() + self.unlisted;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Recipients<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_recipient_once() {
        let mut batch = Assignment::over(4);
        batch.give(2, 1);
        batch.give(0, 5);
        batch.give(2, 2);
        batch.give(1, 0);
        assert_eq!(batch.iter().collect::<Vec<_>>(), [(2, 3), (0, 5)]);
        assert_eq!(batch.recipients(), 2);
        assert_eq!(batch.by_server(), [5, 0, 3, 0]);
        batch.clear();
        assert_eq!(batch.iter().len(), 0);
        assert_eq!((0..4).map(|server| batch.jobs(server)).sum::<u32>(), 0);
    }

    /// Few recipients are cleared one by one, many all together.
    #[test]
    fn cleared_either_way() {
        for recipients in [1, 9, 10, 80] {
            let mut batch = Assignment::over(80);
            (0..recipients).for_each(|server| batch.give_first(server, 2));
            assert_eq!(batch.recipients(), recipients);
            batch.clear();
            assert_eq!((batch.recipients(), batch.by_server()), (0, &[0; 80][..]));
        }
    }

    #[test]
    fn shrinks_and_grows_empty() {
        let mut batch = Assignment::over(4);
        batch.give(3, 1);
        batch.resize(2);
        assert_eq!(batch.recipients(), 0);
        batch.resize(5);
        assert_eq!((0..5).map(|server| batch.jobs(server)).sum::<u32>(), 0);
    }
}
