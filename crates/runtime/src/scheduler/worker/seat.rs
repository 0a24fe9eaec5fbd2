use core::ptr;

use filch_deque::{Padded, Position, Thief};

use super::Worker;
use crate::latch::{Latch, SleepSlot};
use crate::scheduler::call::Calls;
use crate::scheduler::fifo::Fifo;
use crate::scheduler::job::JobHead;
use crate::scheduler::metrics::{Counters, WorkerMetrics};
use crate::scheduler::queue::Queue;
use crate::sleep::{Attention, Parker};
use crate::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

/// The part of a worker that others may look at.
pub(crate) struct Seat {
    /// The latch that the stolen child which this worker runs will set: what it forks meanwhile is
    /// below that latch. Null if it runs nothing stolen.
    pub(super) root: AtomicPtr<Latch>,
    /// Where the deque was when the worker began with that child: what is older is not below it.
    pub(super) root_base: AtomicUsize,
    /// The latch that this worker waits for, or null.
    pub(super) waits_for: AtomicPtr<Latch>,
    pub(super) thief: Thief<JobHead>,
    /// The calls from other pools that this worker works for.
    pub(super) calls: Calls,
    pub(crate) queue: Queue,
    /// The jobs that it was to run in the order of their spawns; each has a stand-in in the queue.
    pub(crate) fifo: Fifo,
    /// What this worker sleeps on, if it waits.
    pub(super) sleep_slot: SleepSlot,
    /// Whether it is running something, which counts as one job of its load. So does a worker that has
    /// not begun: what is sent to it meanwhile is for those who ask.
    pub(super) busy: AtomicBool,
    /// Whether it never began, or is a thread that does other things besides. The others end without it.
    absent: AtomicBool,
    /// Whether it is taking jobs out of somebody's queue.
    pub(super) taking_jobs: AtomicBool,
    pub(crate) parker: Parker,
    /// The worker itself: for the one who has taken it out of the sleepers.
    pub(super) worker: AtomicPtr<Worker>,
    /// Where a thread sleeps that has taken the worker's place.
    pub(super) borrower_parker: Parker,
    pub(crate) counters: Padded<Counters>,
}

impl Seat {
    pub(crate) fn new(thief: Thief<JobHead>) -> Self {
        Self {
            root: AtomicPtr::new(ptr::null_mut()),
            root_base: AtomicUsize::new(0),
            waits_for: AtomicPtr::new(ptr::null_mut()),
            thief,
            calls: Calls::new(),
            queue: Queue::new(),
            fifo: Fifo::new(),
            sleep_slot: SleepSlot::new(),
            busy: AtomicBool::new(true),
            absent: AtomicBool::new(false),
            taking_jobs: AtomicBool::new(false),
            parker: Parker::new(),
            worker: AtomicPtr::new(ptr::null_mut()),
            borrower_parker: Parker::new(),
            counters: Padded::default(),
        }
    }

    /// What somebody raises who looks for work in vain, or sleeps and might want what this worker forks
    /// next.
    pub(crate) fn attention(&self) -> &Attention {
        self.thief.attention()
    }

    /// Dozes on the worker's own parker or that of the thread in its place; false if nobody has woken it.
    pub(super) fn park_timeout_on(&self, parker: &Parker) -> bool {
        let woken = parker.park_timeout();
        if woken {
            self.counters.parks.add_among_others(1);
        }
        woken
    }

    pub(super) fn park_on(&self, parker: &Parker) {
        self.counters.parks.add_among_others(1);
        parker.park();
    }

    pub(crate) fn metrics(&self) -> WorkerMetrics {
        let forks = self.thief.pushes() as u64;
        self.counters.snapshot(forks, self.queue.len() as u64)
    }

    pub(super) fn is_busy(&self) -> bool {
        // Ordering: a load that is out of date by a job is as good.
        self.busy.load(Ordering::Relaxed)
    }

    /// BFG's load: the jobs in the queue and the one in service.
    pub(crate) fn load(&self) -> usize {
        self.queue.len() + usize::from(self.is_busy())
    }

    /// Whether the job at `place` of this worker's deque is below `latch`.
    pub(super) fn is_below(&self, latch: *const Latch, position: Position) -> bool {
        // Ordering: Acquire pairs with the Release stores in `with_root`. The root is read again, so that
        // the base is one that it had.
        let has_root = || ptr::eq(self.root.load(Ordering::Acquire), latch);
        has_root() && self.root_base.load(Ordering::Acquire) < position.number() && has_root()
    }

    /// Whether there is something in the deque.
    pub(crate) fn has_forks(&self) -> bool {
        !self.thief.is_empty()
    }

    /// Wakes the worker if it sleeps while it waits: there is something for it alone.
    pub(crate) fn wake_waiting(&self) {
        self.sleep_slot.wake();
    }

    /// The others are to end without this worker.
    pub(crate) fn mark_absent(&self) {
        self.absent.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_absent(&self) -> bool {
        // Ordering: SeqCst, as for the closing of the pool, with which it goes.
        self.absent.load(Ordering::SeqCst)
    }

    /// Whether there is nothing in the deque nor in the queue.
    pub(crate) fn is_empty(&self) -> bool {
        !self.has_forks() && self.queue.has_nothing()
    }

    /// Whether the worker has nothing in its hands: it neither takes jobs from a queue nor runs one.
    pub(crate) fn is_quiescent(&self) -> bool {
        // In this order: a worker is busy before it has done asking.
        // Ordering: Acquire pairs with the Release store in `request_jobs`.
        !self.taking_jobs.load(Ordering::Acquire) && (!self.is_busy() || self.is_absent())
    }
}
