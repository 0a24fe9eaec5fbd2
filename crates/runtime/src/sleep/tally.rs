use filch_deque::Padded;

use crate::sync::atomic::{AtomicUsize, Ordering};

/// How many threads of a pool are active, search and sleep, in one word, and how many may be active.
///
/// A thread is *active* unless it sleeps: as an idle one, or while it waits. A pool of P workers has
/// spare threads besides, and wakes one only while fewer than P threads are active. A
/// waiter that was woken goes on at once, so there may be more than P for a while; then the next
/// thread that runs out of work sleeps without a search.
pub(crate) struct Tally {
    counts: Padded<AtomicUsize>,
    workers: usize,
}

const FIELD: u32 = usize::BITS / 3;
/// One idle thread that sleeps.
const SLEEPING: usize = 1;
/// One thread that searches.
const SEARCHING: usize = 1 << FIELD;
/// One thread that is active; those that search are.
const ACTIVE: usize = 1 << (2 * FIELD);

/// The threads of a pool, at one moment.
#[derive(Clone, Copy)]
pub(crate) struct Counts(usize);

impl Counts {
    pub(crate) fn sleeping(self) -> usize {
        self.0 % SEARCHING
    }

    pub(crate) fn searching(self) -> usize {
        self.0 % ACTIVE / SEARCHING
    }

    pub(crate) fn active(self) -> usize {
        self.0 / ACTIVE
    }
}

/// Ordering: SeqCst throughout. The counts are touched when threads change their state, not at forks, and
/// their order with respect to each other is then easy to argue about.
impl Tally {
    /// All workers are active in the beginning.
    pub(super) fn new(workers: usize) -> Self {
        Self {
            counts: Padded(AtomicUsize::new(workers * ACTIVE)),
            workers,
        }
    }

    pub(super) fn workers(&self) -> usize {
        self.workers
    }

    pub(crate) fn counts(&self) -> Counts {
        Counts(self.counts.load(Ordering::SeqCst))
    }

    fn change(&self, change: usize) -> Counts {
        let before = self.counts.fetch_add(change, Ordering::SeqCst);
        Counts(before.wrapping_add(change))
    }

    /// An active thread begins to search.
    pub(super) fn begin_search(&self) {
        self.change(SEARCHING);
    }

    pub(super) fn end_search(&self) -> Counts {
        self.change(SEARCHING.wrapping_neg())
    }

    /// A thread that searches falls asleep.
    pub(super) fn fall_asleep(&self) -> Counts {
        self.change(SLEEPING.wrapping_sub(SEARCHING + ACTIVE))
    }

    /// A thread that slept as an idle one searches.
    pub(super) fn wake(&self) {
        self.change((SEARCHING + ACTIVE).wrapping_sub(SLEEPING));
    }

    /// A spare thread starts, and searches.
    pub(super) fn start(&self) {
        self.change(SEARCHING + ACTIVE);
    }

    /// An active thread falls asleep while it waits, blocks, or is no thread at all.
    pub(crate) fn block(&self) -> Counts {
        self.change(ACTIVE.wrapping_neg())
    }

    /// As [`block`](Self::block), of one that searches.
    pub(super) fn block_searching(&self) {
        self.change((SEARCHING + ACTIVE).wrapping_neg());
    }

    /// It goes on.
    pub(crate) fn unblock(&self) {
        self.change(ACTIVE);
    }

    /// It searches below what it waits for.
    pub(super) fn unblock_to_search(&self) {
        self.change(SEARCHING + ACTIVE);
    }
}
