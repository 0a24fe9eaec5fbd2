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

/// Which idle workers sleep, and how many search.
pub(crate) struct Sleep {
    counts: Padded<AtomicUsize>,
    sleepers: Mutex<Vec<usize>>,
}

/// One sleeping idle worker, in [`Sleep::counts`].
const SLEEPING: usize = 1;
/// One searching worker.
const SEARCHING: usize = 1 << (usize::BITS / 2);

/// How many workers are idle, at one moment.
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

    /// Ordering: SeqCst throughout. The counts are touched when workers change their state, not at
    /// forks, and their order with respect to each other is then easy to argue about.
    pub(crate) fn counts(&self) -> IdleCounts {
        IdleCounts(self.counts.load(Ordering::SeqCst))
    }

    pub(crate) fn begin_search(&self) {
        self.counts.fetch_add(SEARCHING, Ordering::SeqCst);
    }

    /// The caller stops searching because it found something. Some counts if it was the last to search
    /// while others sleep: then it should look whether there is more, and wake one of them for it.
    #[must_use]
    pub(crate) fn end_search(&self) -> Option<IdleCounts> {
        let before = IdleCounts(self.counts.fetch_sub(SEARCHING, Ordering::SeqCst));
        (before.searching() == 1 && before.sleeping() > 0).then_some(before)
    }

    /// The searching worker `index` is about to sleep. Returns the counts with it among the sleepers.
    pub(crate) fn enter(&self, index: usize) -> IdleCounts {
        let mut sleepers = lock(&self.sleepers);
        sleepers.push(index);
        let change = SLEEPING.wrapping_sub(SEARCHING);
        let before = self.counts.fetch_add(change, Ordering::SeqCst);
        IdleCounts(before.wrapping_add(change))
    }

    /// Worker `index` found something after all and searches again. False if somebody has taken it
    /// out already: then an unpark is on its way and has to be waited for.
    #[must_use]
    pub(crate) fn leave(&self, index: usize) -> bool {
        let mut sleepers = lock(&self.sleepers);
        let position = sleepers.iter().position(|&sleeper| sleeper == index);
        position.is_some_and(|position| {
            self.take_out(&mut sleepers, position);
            true
        })
    }

    /// Takes some sleeping worker out of the list, for the caller to unpark: the last that fell
    /// asleep, whose cache is warmest.
    pub(crate) fn take_any(&self) -> Option<usize> {
        let mut sleepers = lock(&self.sleepers);
        let last = sleepers.len().checked_sub(1)?;
        Some(self.take_out(&mut sleepers, last))
    }

    /// Takes worker `index` out of the list, if it sleeps, for the caller to unpark. What the caller did
    /// before is seen by a worker that is found awake here and falls asleep later.
    #[must_use]
    pub(crate) fn take(&self, index: usize) -> bool {
        // Pairs with the fence in `sleep_idle`: we see the sleeper counted, or it sees what we did. So
        // the lock is for those who have somebody to wake.
        fence(Ordering::SeqCst);
        self.counts().sleeping() > 0 && self.leave(index)
    }

    fn take_out(&self, sleepers: &mut Vec<usize>, position: usize) -> usize {
        self.counts
            .fetch_add(SEARCHING.wrapping_sub(SLEEPING), Ordering::SeqCst);
        sleepers.remove(position)
    }
}
