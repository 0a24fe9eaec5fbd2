#![doc = include_str!("README.md")]

#[cfg(all(test, loom))]
mod model;
mod parker;
pub(crate) mod steps;

pub(crate) use filch_deque::Attention;
pub(crate) use parker::Parker;

use filch_deque::Padded;

use crate::sync::atomic::{AtomicUsize, Ordering, fence};
use crate::sync::{Mutex, lock};

/// The idle workers that sleep, and the number of those that search.
pub(crate) struct Sleep {
    counts: Padded<AtomicUsize>,
    sleepers: Mutex<Vec<usize>>,
}

/// One sleeping idle worker, in [`Sleep::counts`].
const SLEEPING: usize = 1;
/// One searching worker.
const SEARCHING: usize = 1 << (usize::BITS / 2);

/// How many workers search and how many sleep, at one moment.
#[derive(Clone, Copy)]
pub(crate) struct IdleCounts(usize);

impl IdleCounts {
    pub(crate) fn sleeping(self) -> usize {
        self.0 % SEARCHING
    }

    pub(crate) fn searching(self) -> usize {
        self.0 / SEARCHING
    }
}

impl Sleep {
    pub(crate) fn new() -> Self {
        Self {
            counts: Padded(AtomicUsize::new(0)),
            sleepers: Mutex::new(Vec::new()),
        }
    }

    /// Ordering: SeqCst throughout. The counts change when a worker changes its state, not at
    /// forks, and one total order keeps the argument short.
    pub(crate) fn counts(&self) -> IdleCounts {
        IdleCounts(self.counts.load(Ordering::SeqCst))
    }

    pub(crate) fn begin_search(&self) {
        self.counts.fetch_add(SEARCHING, Ordering::SeqCst);
    }

    /// The caller stops searching because it found work. `Some` if it was the last searcher while
    /// others sleep: then it has to look for more work and wake one of them for it.
    #[must_use]
    pub(crate) fn end_search(&self) -> Option<IdleCounts> {
        let before = IdleCounts(self.counts.fetch_sub(SEARCHING, Ordering::SeqCst));
        (before.searching() == 1 && before.sleeping() > 0).then_some(before)
    }

    /// The searching worker `index` is about to sleep. Returns the counts with it among the
    /// sleepers.
    pub(crate) fn enter(&self, index: usize) -> IdleCounts {
        let mut sleepers = lock(&self.sleepers);
        sleepers.push(index);
        let change = SLEEPING.wrapping_sub(SEARCHING);
        let before = self.counts.fetch_add(change, Ordering::SeqCst);
        IdleCounts(before.wrapping_add(change))
    }

    /// Worker `index` found work and searches again. False if another thread has taken it out: then
    /// an unpark is on its way and must be consumed.
    #[must_use]
    pub(crate) fn leave(&self, index: usize) -> bool {
        let mut sleepers = lock(&self.sleepers);
        let position = sleepers.iter().position(|&sleeper| sleeper == index);
        position.is_some_and(|position| {
            self.take_out(&mut sleepers, position);
            true
        })
    }

    /// Takes a sleeping worker out of the list, for the caller to unpark: the last that fell
    /// asleep, whose cache is warmest.
    pub(crate) fn take_any(&self) -> Option<usize> {
        let mut sleepers = lock(&self.sleepers);
        let last = sleepers.len().checked_sub(1)?;
        Some(self.take_out(&mut sleepers, last))
    }

    /// Takes worker `index` out of the list, if it sleeps, for the caller to unpark. A worker that
    /// is awake now and falls asleep later sees what the caller did before.
    #[must_use]
    pub(crate) fn take(&self, index: usize) -> bool {
        // Pairs with the fence in `sleep_idle`: we see the sleeper counted, or it sees what we did.
        // So the lock is taken only if a worker sleeps.
        fence(Ordering::SeqCst);
        self.counts().sleeping() > 0 && self.leave(index)
    }

    fn take_out(&self, sleepers: &mut Vec<usize>, position: usize) -> usize {
        self.counts
            .fetch_add(SEARCHING.wrapping_sub(SLEEPING), Ordering::SeqCst);
        sleepers.remove(position)
    }
}
