#![doc = include_str!("README.md")]

#[cfg(all(test, loom))]
mod model;
mod parker;
pub(crate) mod steps;
mod tally;

pub(crate) use filch_deque::Attention;
pub(crate) use parker::{Parker, Unparked};
pub(crate) use tally::{Counts, Tally};

use crate::sync::atomic::{AtomicUsize, Ordering, fence};
use crate::sync::{Arc, Mutex, lock};

/// Which idle threads sleep, and how many search and are active.
pub(crate) struct Sleep {
    tally: Arc<Tally>,
    sleepers: Mutex<Sleepers>,
    /// How many spare threads may still be started.
    unstarted: AtomicUsize,
}

#[derive(Default)]
struct Sleepers {
    workers: Vec<usize>,
    spares: Vec<usize>,
}

impl Sleep {
    /// For so many workers, and at most so many spare threads besides.
    pub(crate) fn new(workers: usize, spares: usize) -> Self {
        Self {
            tally: Arc::new(Tally::new(workers)),
            sleepers: Mutex::default(),
            unstarted: AtomicUsize::new(spares),
        }
    }

    pub(crate) fn tally(&self) -> &Arc<Tally> {
        &self.tally
    }

    pub(crate) fn counts(&self) -> Counts {
        self.tally.counts()
    }

    /// Whether a thread should be woken or started if there is work: fewer are active than there are
    /// workers, none of them searches, and there is one to be had.
    pub(crate) fn wants_one(&self, counts: Counts) -> bool {
        self.wants_help(counts) && self.has_more(counts)
    }

    /// Whether fewer threads are active than there are workers, and none of them searches.
    fn wants_help(&self, counts: Counts) -> bool {
        counts.searching() == 0 && !self.is_full(counts)
    }

    fn has_more(&self, counts: Counts) -> bool {
        // Ordering: SeqCst, as the counts, with which it is read.
        counts.sleeping() > 0 || self.unstarted.load(Ordering::SeqCst) > 0
    }

    /// Whether more threads are active than there are workers.
    pub(crate) fn is_crowded(&self) -> bool {
        self.counts().active() > self.tally.workers()
    }

    /// Whether the pool is as busy as it should be without the caller, which is counted no more.
    fn is_full(&self, counts: Counts) -> bool {
        counts.active() >= self.tally.workers()
    }

    pub(crate) fn begin_search(&self) {
        self.tally.begin_search();
    }

    /// The caller stops searching because it found something. Some counts if it was the last to search
    /// while others could be woken: then it should look whether there is more, and wake one of them.
    #[must_use]
    pub(crate) fn end_search(&self) -> Option<Counts> {
        let counts = self.tally.end_search();
        self.wants_one(counts).then_some(counts)
    }

    /// The searching thread of seat `index` is about to sleep. Returns the counts with it among the
    /// sleepers.
    pub(crate) fn enter(&self, index: usize) -> Counts {
        let mut sleepers = lock(&self.sleepers);
        sleepers.among(index, self.tally.workers()).push(index);
        self.tally.fall_asleep()
    }

    /// The thread of seat `index` found something after all and searches again. False if another thread
    /// has taken it out already: then an unpark is on its way and has to be waited for.
    #[must_use]
    pub(crate) fn leave(&self, index: usize) -> bool {
        let mut sleepers = lock(&self.sleepers);
        let among = sleepers.among(index, self.tally.workers());
        let place = among.iter().position(|&sleeper| sleeper == index);
        if let Some(place) = place {
            among.remove(place);
            self.tally.wake();
        }
        place.is_some()
    }

    /// Takes some sleeping thread out of the lists, for the caller to unpark: a worker if there is one, and
    /// the last that fell asleep, whose cache is warmest.
    pub(crate) fn take_any(&self) -> Option<usize> {
        let mut sleepers = lock(&self.sleepers);
        let last = sleepers.workers.pop().or_else(|| sleepers.spares.pop())?;
        self.tally.wake();
        Some(last)
    }

    /// Takes a sleeping worker out of its list, for the caller to work in its place: `None` if none
    /// sleeps, or as many threads are active as there are workers.
    pub(crate) fn take_worker(&self) -> Option<usize> {
        if self.is_full(self.counts()) {
            return None;
        }
        let last = lock(&self.sleepers).workers.pop()?;
        self.tally.wake();
        Some(last)
    }

    /// Takes worker `index` out of its list, if it sleeps, for the caller to unpark. What the caller did
    /// before is seen by a worker that is found awake here and falls asleep later.
    #[must_use]
    pub(crate) fn take(&self, index: usize) -> bool {
        // Pairs with the fence in `sleep_idle`: we see the sleeper counted, or it sees what we did. So
        // the lock is for callers that have a worker to wake.
        fence(Ordering::SeqCst);
        self.counts().sleeping() > 0 && self.leave(index)
    }

    /// Counts a spare thread that the caller is about to start, as one that searches. False if there are
    /// to be no more.
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

    /// It could not be started, so there will be no more. That it is not active has been counted.
    pub(crate) fn start_failed(&self) {
        self.unstarted.store(0, Ordering::SeqCst);
        self.tally.end_search();
    }
}

impl Sleepers {
    fn among(&mut self, index: usize, workers: usize) -> &mut Vec<usize> {
        if index < workers {
            &mut self.workers
        } else {
            &mut self.spares
        }
    }
}
