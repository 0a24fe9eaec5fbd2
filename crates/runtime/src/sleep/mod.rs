#![doc = include_str!("README.md")]

#[cfg(all(test, loom))]
mod model;
mod parker;
pub(crate) mod steps;
mod tally;

pub(crate) use filch_deque::Attention;
pub(crate) use parker::{Parker, TIMED_PARK, Unparked};
pub(crate) use tally::{Tally, ThreadCounts};

use crate::sync::atomic::{AtomicUsize, Ordering, fence};
use crate::sync::{Arc, Mutex, lock};

/// The idle threads that sleep, and the numbers of those that search and are active.
pub(crate) struct Sleep {
    tally: Arc<Tally>,
    sleepers: Mutex<Sleepers>,
    /// How many spare threads may still be started.
    unstarted: AtomicUsize,
    /// Whether a waiting thread that sleeps may be woken for any work, at least if no other thread
    /// could come.
    waiters_come: bool,
    /// How many waiting threads look from time to time whether work is left lying.
    watchers: AtomicUsize,
}

#[derive(Default)]
struct Sleepers {
    workers: Vec<usize>,
    spares: Vec<usize>,
}

impl Sleep {
    /// For `workers` workers and at most `spares` spare threads. If `waiters_come`, a waiting
    /// thread may be woken for any work.
    pub(crate) fn new(workers: usize, spares: usize, waiters_come: bool) -> Self {
        Self {
            tally: Arc::new(Tally::new(workers)),
            sleepers: Mutex::default(),
            unstarted: AtomicUsize::new(spares),
            waiters_come,
            watchers: AtomicUsize::new(0),
        }
    }

    pub(crate) fn tally(&self) -> &Arc<Tally> {
        &self.tally
    }

    pub(crate) fn counts(&self) -> ThreadCounts {
        self.tally.counts()
    }

    /// Whether one more thread should come if there is work: fewer are active than there are
    /// workers, and none of them searches.
    fn needs_searcher(&self, counts: ThreadCounts) -> bool {
        counts.searching() == 0 && !self.is_full(counts)
    }

    /// Whether an idle thread sleeps, a spare thread may be started, or a waiting thread may be
    /// woken.
    fn has_reserve(&self, counts: ThreadCounts) -> bool {
        self.waiters_come || self.has_free_thread(counts)
    }

    /// Whether an idle thread sleeps or a spare thread may be started.
    fn has_free_thread(&self, counts: ThreadCounts) -> bool {
        // Ordering: SeqCst, as for the counts, which are read together with it.
        counts.sleeping() > 0 || self.unstarted.load(Ordering::SeqCst) > 0
    }

    /// Whether a thread should be woken or started if there is work, and there is one.
    pub(crate) fn wants_one(&self) -> bool {
        let counts = self.counts();
        self.needs_searcher(counts) && self.has_reserve(counts)
    }

    /// Whether another thread could come if the calling one slept.
    pub(crate) fn can_hand_over(&self) -> bool {
        self.has_free_thread(self.counts())
    }

    /// How many threads search, if the pool is not full and another thread could come: it should if
    /// there is more work than they can take.
    pub(crate) fn searchers_if_one_could_come(&self) -> Option<usize> {
        let counts = self.counts();
        let could_come = !self.is_full(counts) && self.has_free_thread(counts);
        could_come.then_some(counts.searching())
    }

    /// Whether one more thread should come if there is work, and only a waiting one could.
    pub(crate) fn wants_waiter(&self) -> bool {
        let counts = self.counts();
        self.waiters_come && self.needs_searcher(counts) && !self.has_free_thread(counts)
    }

    /// The calling thread, which waits, will look whether work is left lying.
    pub(crate) fn begin_watch(&self) {
        self.watchers.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn end_watch(&self) {
        self.watchers.fetch_sub(1, Ordering::SeqCst);
        // Pairs with the fence of a thread that has made work: it sees that there is no watcher, or
        // the caller sees the work when it looks once more.
        fence(Ordering::SeqCst);
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.watchers.load(Ordering::SeqCst) > 0
    }

    /// Whether at least as many threads are active as there are workers.
    fn is_full(&self, counts: ThreadCounts) -> bool {
        counts.active() >= self.tally.workers()
    }

    /// Whether fewer threads are active than there are workers.
    pub(crate) fn has_room(&self) -> bool {
        !self.is_full(self.counts())
    }

    /// Whether more threads are active than there are workers.
    pub(crate) fn is_crowded(&self) -> bool {
        self.counts().active() > self.tally.workers()
    }

    pub(crate) fn begin_search(&self) {
        self.tally.begin_search();
    }

    /// The caller stops searching because it found work. `Some` if it was the last searcher and the
    /// pool wants one: then it has to look for more work and wake a thread for it.
    #[must_use]
    pub(crate) fn end_search(&self) -> Option<ThreadCounts> {
        let counts = self.tally.end_search();
        (self.needs_searcher(counts) && self.has_reserve(counts)).then_some(counts)
    }

    /// The searching thread of seat `index` is about to sleep. Returns the counts with it among the
    /// sleepers.
    pub(crate) fn enter(&self, index: usize) -> ThreadCounts {
        let mut sleepers = lock(&self.sleepers);
        self.list_of(&mut sleepers, index).push(index);
        self.tally.fall_asleep()
    }

    /// The thread of seat `index` found work and searches again. False if another thread has taken
    /// it out: then an unpark is on its way and must be consumed.
    #[must_use]
    pub(crate) fn leave(&self, index: usize) -> bool {
        let mut sleepers = lock(&self.sleepers);
        let list = self.list_of(&mut sleepers, index);
        let position = list.iter().position(|&sleeper| sleeper == index);
        position.is_some_and(|position| {
            list.remove(position);
            self.tally.wake();
            true
        })
    }

    /// Takes a sleeping thread out of the lists, for the caller to unpark: a worker if there is
    /// one, and the last that fell asleep, whose cache is warmest.
    pub(crate) fn take_any(&self) -> Option<usize> {
        let mut sleepers = lock(&self.sleepers);
        let last = sleepers.workers.pop().or_else(|| sleepers.spares.pop())?;
        self.tally.wake();
        Some(last)
    }

    /// Takes a sleeping worker out of its list, for the caller to borrow its seat. `None` if none
    /// sleeps, or as many threads are active as there are workers.
    pub(crate) fn take_worker(&self) -> Option<usize> {
        let counts = self.counts();
        if counts.sleeping() == 0 || self.is_full(counts) {
            return None;
        }
        let mut sleepers = lock(&self.sleepers);
        let last = sleepers.workers.pop()?;
        self.tally.lend();
        Some(last)
    }

    /// The seat of worker `index` was lent and is given back: the worker is among the sleepers
    /// again. Returns the counts with it among them, and whether the pool could have woken another
    /// thread before.
    fn give_back(&self, index: usize) -> (ThreadCounts, bool) {
        let mut sleepers = lock(&self.sleepers);
        sleepers.workers.push(index);
        let counts = self.tally.give_back();
        let others = counts.sleeping() > 1 || self.may_start();
        (counts, others && counts.active() + 1 < self.tally.workers())
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

    /// Whether there may be more spare threads.
    pub(crate) fn may_start(&self) -> bool {
        self.unstarted.load(Ordering::SeqCst) > 0
    }

    /// Counts a spare thread that the caller is about to start, as a searcher. False if no more may
    /// be started.
    #[must_use]
    pub(crate) fn begin_start(&self) -> bool {
        let one_less = |unstarted: usize| unstarted.checked_sub(1);
        let (set, fetch) = (Ordering::SeqCst, Ordering::SeqCst);
        let begun = self.unstarted.fetch_update(set, fetch, one_less).is_ok();
        if begun {
            self.tally.start();
        }
        begun
    }

    /// The spare thread could not be started. It may be tried again.
    pub(crate) fn start_failed(&self) {
        self.tally.block_searcher();
        self.unstarted.fetch_add(1, Ordering::SeqCst);
    }

    fn list_of<'a>(&self, sleepers: &'a mut Sleepers, index: usize) -> &'a mut Vec<usize> {
        if index < self.tally.workers() {
            &mut sleepers.workers
        } else {
            &mut sleepers.spares
        }
    }
}
