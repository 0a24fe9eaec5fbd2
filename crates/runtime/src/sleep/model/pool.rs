//! The pool of the models: real counts, attention, parkers and latches, and deques that are
//! numbers.

use std::sync::Arc;

use filch_deque::asymmetric::Light;
use loom::cell::UnsafeCell;

use crate::latch::{Latch, SleepSlot};
use crate::sleep::{Attention, Parker, Sleep, TIMED_PARK, Tally, Unparked, steps};
use crate::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use crate::sync::spin_loop;

/// A pool in which the workers with the highest indices fork and the others take what was forked.
pub(super) struct Pool {
    pub(super) sleep: Sleep,
    pub(super) workers: Vec<Worker>,
}

pub(super) struct Worker {
    pub(super) attention: Attention,
    pub(super) parker: Parker,
    items: AtomicUsize,
    pub(super) queue: AtomicUsize,
    root: AtomicPtr<Latch>,
    pub(super) sleep_slot: SleepSlot,
    /// Only the worker may touch this, or the thread that has borrowed its seat.
    own: UnsafeCell<usize>,
}

// SAFETY: loom checks accesses to `own`, and the other fields may be shared.
unsafe impl Sync for Worker {}

impl Pool {
    pub(super) fn new(workers: usize) -> Arc<Self> {
        Self::with_spares(workers, 0)
    }

    /// With spare threads that were started and are asleep.
    pub(super) fn with_spares(workers: usize, spares: usize) -> Arc<Self> {
        let sleep = Sleep::new(workers, spares, false);
        for spare in workers..workers + spares {
            assert!(sleep.begin_start());
            let _ = sleep.enter(spare);
        }
        let worker = |_| Worker::new(sleep.tally());
        let workers = (0..workers + spares).map(worker).collect();
        Arc::new(Self { sleep, workers })
    }

    fn wake_any(&self) {
        if let Some(index) = self.sleep.take_any() {
            self.workers[index].parker.unpark();
        }
    }

    /// As `PoolShared::dispatch` in the runtime.
    pub(super) fn dispatch(&self, index: usize) {
        self.workers[index].queue.fetch_add(1, Ordering::SeqCst);
        if self.sleep.take(index) {
            self.workers[index].parker.unpark();
        }
    }

    /// As in the runtime.
    pub(super) fn wake_unless_searching(&self) {
        if self.sleep.wants_one() {
            self.wake_any();
        }
    }

    pub(super) fn attentions(&self) -> impl ExactSizeIterator<Item = &Attention> {
        self.workers.iter().map(|worker| &worker.attention)
    }

    fn has_work_for(&self, index: usize) -> bool {
        self.workers.iter().any(Worker::has_items)
            || self.workers[index].queue.load(Ordering::SeqCst) > 0
    }

    /// As `PoolShared::sleep_idle` in the runtime: if the pool is full, only its own job counts.
    fn has_work_while(&self, is_full: bool, index: usize) -> bool {
        self.workers[index].queue.load(Ordering::SeqCst) > 0 || !is_full && self.has_work_for(index)
    }

    /// As `fork` in the runtime, whose push passes LIGHT.
    pub(super) fn fork(&self, index: usize) {
        let worker = &self.workers[index];
        worker.items.fetch_add(1, Ordering::Release);
        Light::of_now().fence();
        self.attend(index);
    }

    pub(super) fn attend(&self, index: usize) {
        let worker = &self.workers[index];
        if worker.attention.is_raised() {
            let wake_above = || worker.root().is_some_and(Latch::wake);
            let wake_one = || self.wake_any();
            steps::attend(&self.sleep, &worker.attention, || (), wake_above, wake_one);
        }
    }

    /// As `Worker::search` in the runtime, until one item or job was found.
    pub(super) fn work_once(&self, index: usize) {
        self.sleep.begin_search();
        self.search_until_found(index);
    }

    pub(super) fn search_until_found(&self, index: usize) {
        self.workers[index].touch_own();
        while !self.find(index) {
            self.workers[index].touch_own();
            let has_work = |is_full| self.has_work_while(is_full, index);
            let parker = &self.workers[index].parker;
            let park = || {
                let _ = parker.park();
            };
            steps::sleep_idle(
                &self.sleep,
                index,
                self.attentions(),
                || self.workers.len(),
                has_work,
                || parker.park_timeout(TIMED_PARK).is_some(),
                park,
                spin_loop,
            );
        }
        self.workers[index].touch_own();
        self.found(index);
    }

    /// As [`search_until_found`](Self::search_until_found), of a spare thread that takes a job out of
    /// another thread's queue.
    pub(super) fn search_queues_until_found(&self, index: usize) {
        let has_jobs = || {
            self.workers
                .iter()
                .any(|worker| worker.queue.load(Ordering::SeqCst) > 0)
        };
        while !self.workers.iter().any(|worker| take_one(&worker.queue)) {
            let parker = &self.workers[index].parker;
            let park = || {
                let _ = parker.park();
            };
            steps::sleep_idle(
                &self.sleep,
                index,
                self.attentions(),
                || self.workers.len(),
                |is_full: bool| !is_full && has_jobs(),
                || parker.park_timeout(TIMED_PARK).is_some(),
                park,
                spin_loop,
            );
        }
        self.found(index);
    }

    pub(super) fn found(&self, index: usize) {
        let has_work = || self.has_work_for(index);
        let wake_one = || self.wake_any();
        steps::end_search(&self.sleep, self.attentions(), has_work, wake_one);
    }

    /// As `LentSeat` in the runtime: a thread from outside borrows the seat of a sleeping worker,
    /// forks, and gives the seat back. False if no worker sleeps.
    pub(super) fn borrow_a_seat(&self, forks: bool) -> bool {
        let Some(index) = self.sleep.take_worker() else {
            return false;
        };
        self.workers[index].touch_own();
        if forks {
            self.fork(index);
        }
        self.workers[index].touch_own();
        let has_work = |is_full| self.has_work_while(is_full, index);
        let wake = || self.workers[index].parker.unpark();
        steps::give_back(&self.sleep, index, self.attentions(), has_work, wake);
        true
    }

    fn find(&self, index: usize) -> bool {
        take_one(&self.workers[index].queue)
            || self.workers.iter().any(|worker| take_one(&worker.items))
    }

    /// As `Worker::wait_for` in the runtime.
    pub(super) fn wait_for(&self, latch: &Latch, index: usize, mut taken: impl FnMut()) {
        let mut searches = false;
        while !latch.is_set() {
            let is_crowded = self.sleep.is_crowded();
            if !is_crowded && self.workers.iter().any(|worker| worker.take_below(latch)) {
                self.end_search_of_waiter(&mut searches, index);
                taken();
            } else {
                let is_below = || self.workers.iter().any(|worker| worker.has_below(latch));
                let has_work = |is_full: bool| !is_full && is_below();
                self.sleep_waiting(latch, index, &mut searches, has_work);
            }
        }
        self.end_search_of_waiter(&mut searches, index);
    }

    /// As `Worker::sleep_waiting` in the runtime.
    pub(super) fn sleep_waiting(
        &self,
        latch: &Latch,
        index: usize,
        searches: &mut bool,
        has_work: impl Fn(bool) -> bool,
    ) {
        let parker = &self.workers[index].parker;
        let sleeper = steps::Sleeper {
            searches: *searches,
            has_work,
            hand_over: || self.hand_over(index),
            timed_park: || parker.park_timeout(TIMED_PARK),
            park: || Some(parker.park()),
        };
        let attentions = self.attentions();
        let unparked = steps::sleep_waiting(&self.sleep, latch, parker, attentions, sleeper);
        if let Some(reason) = unparked {
            *searches = reason == Unparked::ToSearch;
        }
    }

    /// As in the runtime.
    fn hand_over(&self, index: usize) {
        if self.sleep.wants_one() && self.has_work_for(index) {
            self.wake_any();
        }
    }

    /// As in the runtime: the worker blocks from now on.
    pub(super) fn block(&self, index: usize) {
        steps::block(&self.sleep, self.attentions(), || self.hand_over(index));
    }

    /// As `WaiterSearch::end` in the runtime.
    pub(super) fn end_search_of_waiter(&self, searches: &mut bool, index: usize) {
        if core::mem::take(searches) {
            self.found(index);
        }
    }
}

impl Worker {
    fn new(tally: &crate::sync::Arc<Tally>) -> Self {
        Self {
            attention: Attention::new(),
            parker: Parker::new(Some(crate::sync::Arc::clone(tally))),
            items: AtomicUsize::new(0),
            queue: AtomicUsize::new(0),
            root: AtomicPtr::new(core::ptr::null_mut()),
            sleep_slot: SleepSlot::new(),
            own: UnsafeCell::new(0),
        }
    }

    /// loom reports it if another thread does so at the same time.
    fn touch_own(&self) {
        self.own.with_mut(|own| {
            // SAFETY: that no other thread does so is what the model checks, by loom.
            unsafe { *own += 1 }
        });
    }

    fn has_items(&self) -> bool {
        self.items.load(Ordering::Acquire) > 0
    }

    fn is_below(&self, latch: &Latch) -> bool {
        core::ptr::eq(self.root.load(Ordering::Acquire), latch)
    }

    fn has_below(&self, latch: &Latch) -> bool {
        self.is_below(latch) && self.has_items()
    }

    fn take_below(&self, latch: &Latch) -> bool {
        self.is_below(latch) && take_one(&self.items)
    }

    fn root<'latch>(&self) -> Option<&'latch Latch> {
        let root = self.root.load(Ordering::Relaxed);
        // SAFETY: the latches of these models outlive their workers.
        unsafe { root.as_ref() }
    }

    /// As `Worker::with_root` in the runtime.
    pub(super) fn take_root(&self, latch: &Latch) {
        let address = core::ptr::from_ref(latch).cast_mut();
        self.root.store(address, Ordering::Release);
        steps::start(&self.attention, || latch.is_asleep());
    }
}

/// Takes an item if there seems to be one, by a count that may be out of date.
pub(super) fn take_one(items: &AtomicUsize) -> bool {
    let seen = items.load(Ordering::Acquire);
    seen > 0
        && items
            .compare_exchange(seen, seen - 1, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
}
