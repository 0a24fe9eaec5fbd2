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

/// What other threads see of a worker: its deque from the thief's side, its queue, and what it
/// runs.
///
/// The thread that holds the seat has the right to run jobs. A pool has as many seats as workers.
pub(crate) struct Seat {
    /// The latch that the stolen job which this worker runs will set. What the worker forks
    /// meanwhile is below that latch. Null if it runs no stolen job.
    pub(super) root: AtomicPtr<Latch>,
    /// The position of the deque when that job began. Older items are not below the latch.
    pub(super) root_base: AtomicUsize,
    /// The latch for which this worker waits, or null.
    pub(super) waits_for: AtomicPtr<Latch>,
    pub(super) thief: Thief<JobHead>,
    /// The calls from other pools on whose behalf this worker runs.
    pub(super) calls: Calls,
    pub(crate) queue: Queue,
    /// Jobs that this worker spawned to run in the order of their spawns. Each has a stand-in in
    /// the queue.
    pub(crate) fifo: Fifo,
    /// The latch on which this worker sleeps while it waits.
    pub(super) sleep_slot: SleepSlot,
    /// Whether this worker runs a job, which counts as one job of its load. It is also set before
    /// the worker starts, so that idle workers may take what is sent to it meanwhile.
    pub(super) busy: AtomicBool,
    /// Whether the worker never started, or its thread is one that the pool does not own. The other
    /// workers end without it.
    absent: AtomicBool,
    /// Whether it is taking jobs out of another worker's queue.
    pub(super) taking_jobs: AtomicBool,
    pub(crate) parker: Parker,
    /// The worker itself, for the thread that takes it out of the sleepers.
    pub(super) worker: AtomicPtr<Worker>,
    /// The parker of the thread that has borrowed the seat.
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

    /// The flag that a thief raises if it finds nothing here, and that a worker raises before it
    /// sleeps.
    pub(crate) fn attention(&self) -> &Attention {
        self.thief.attention()
    }

    /// A timed park on the worker's parker or the borrower's. False if it timed out.
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
        // Ordering: a hint; a value that is one job out of date does no harm.
        self.busy.load(Ordering::Relaxed)
    }

    /// BFG's load: the jobs in the queue and the job in service.
    pub(crate) fn load(&self) -> usize {
        self.queue.len() + usize::from(self.is_busy())
    }

    /// Whether the job at `position` of this worker's deque is below `latch`.
    pub(super) fn is_below(&self, latch: *const Latch, position: Position) -> bool {
        // Ordering: Acquire pairs with the Release stores in `with_root`. The root is read again,
        // so that the base is one that belonged to it.
        let has_root = || ptr::eq(self.root.load(Ordering::Acquire), latch);
        has_root() && self.root_base.load(Ordering::Acquire) < position.number() && has_root()
    }

    /// Whether there are items in the deque.
    pub(crate) fn has_forks(&self) -> bool {
        !self.thief.is_empty()
    }

    /// Wakes the worker if it sleeps while it waits: its queue holds a job that only it may run.
    pub(crate) fn wake_waiting(&self) {
        self.sleep_slot.wake();
    }

    /// Lets the other workers end without this one.
    pub(crate) fn mark_absent(&self) {
        self.absent.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_absent(&self) -> bool {
        // Ordering: SeqCst, as for `closing`, which is read together with it.
        self.absent.load(Ordering::SeqCst)
    }

    /// Whether deque and queue are empty.
    pub(crate) fn is_empty(&self) -> bool {
        !self.has_forks() && self.queue.has_nothing()
    }

    /// Whether the worker neither takes jobs from another queue nor runs one.
    pub(crate) fn is_quiescent(&self) -> bool {
        // In this order: a worker is busy before it clears `taking_jobs`.
        // Ordering: Acquire pairs with the Release store in `request_jobs`.
        !self.taking_jobs.load(Ordering::Acquire) && (!self.is_busy() || self.is_absent())
    }
}
