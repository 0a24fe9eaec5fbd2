use filch_deque::Padded;

use crate::sync::atomic::{AtomicUsize, Ordering};

/// How many threads of a pool are active, search and sleep, in one word, and how many should be
/// active.
///
/// A thread is *active* unless it sleeps, as an idle thread or as a waiter, or blocks in
/// [`blocking`](crate::blocking). A pool of P workers may have spare threads besides, but wakes a
/// thread for work only while fewer than P are active. A waiter whose latch is set goes on at once.
/// If more than P threads are active then, the next one without work sleeps and does not search.
pub(crate) struct Tally {
    counts: Padded<AtomicUsize>,
    workers: usize,
}

const FIELD: u32 = usize::BITS / 3;
/// One idle thread that sleeps.
const SLEEPING: usize = 1;
/// One thread that searches. It is active too.
const SEARCHING: usize = 1 << FIELD;
/// One active thread.
const ACTIVE: usize = 1 << (2 * FIELD);

/// The threads of a pool by their state, at one moment.
#[derive(Clone, Copy)]
pub(crate) struct ThreadCounts(usize);

impl ThreadCounts {
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

/// Ordering: SeqCst throughout. The counts change when a thread changes its state, not at forks,
/// and one total order keeps the argument short.
impl Tally {
    /// All workers are active at first.
    pub(super) fn new(workers: usize) -> Self {
        Self {
            counts: Padded(AtomicUsize::new(workers * ACTIVE)),
            workers,
        }
    }

    pub(super) fn workers(&self) -> usize {
        self.workers
    }

    pub(super) fn counts(&self) -> ThreadCounts {
        ThreadCounts(self.counts.load(Ordering::SeqCst))
    }

    /// Returns the counts after the change.
    fn add(&self, change: usize) -> ThreadCounts {
        let before = self.counts.fetch_add(change, Ordering::SeqCst);
        ThreadCounts(before.wrapping_add(change))
    }

    /// active → searching.
    pub(super) fn begin_search(&self) {
        self.add(SEARCHING);
    }

    /// searching → active.
    pub(super) fn end_search(&self) -> ThreadCounts {
        self.add(SEARCHING.wrapping_neg())
    }

    /// searching → asleep, of an idle thread.
    pub(super) fn fall_asleep(&self) -> ThreadCounts {
        self.add(SLEEPING.wrapping_sub(SEARCHING + ACTIVE))
    }

    /// asleep → searching, of an idle thread.
    pub(super) fn wake(&self) {
        self.add((SEARCHING + ACTIVE).wrapping_sub(SLEEPING));
    }

    /// asleep → active: the seat of an idle thread is lent.
    pub(super) fn lend(&self) {
        self.add(ACTIVE.wrapping_sub(SLEEPING));
    }

    /// active → asleep: the seat is given back.
    pub(super) fn give_back(&self) -> ThreadCounts {
        self.add(SLEEPING.wrapping_sub(ACTIVE))
    }

    /// A spare thread starts, as a searcher.
    pub(super) fn start(&self) {
        self.add(SEARCHING + ACTIVE);
    }

    /// An active thread falls asleep as a waiter, or blocks, or was never started.
    pub(crate) fn block(&self) {
        self.add(ACTIVE.wrapping_neg());
    }

    /// A searcher falls asleep as a waiter.
    pub(super) fn block_searcher(&self) {
        self.add((SEARCHING + ACTIVE).wrapping_neg());
    }

    /// A waiter or a blocked thread goes on.
    pub(crate) fn unblock(&self) {
        self.add(ACTIVE);
    }

    /// A waiter searches below its latch.
    pub(super) fn unblock_to_search(&self) {
        self.add(SEARCHING + ACTIVE);
    }
}
