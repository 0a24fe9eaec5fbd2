use core::ptr;
use std::time::Duration;

use filch_deque::{Padded, Thief};

use super::Worker;
use super::lineage::Lineage;
use crate::latch::SleepSlot;
use crate::scheduler::call::Calls;
use crate::scheduler::fifo::Fifo;
use crate::scheduler::job::JobHead;
use crate::scheduler::metrics::{Counters, WorkerMetrics};
use crate::scheduler::pool::WakeUp;
use crate::scheduler::process::ThreadId;
use crate::scheduler::queue::Queue;
use crate::sleep::{Attention, Parker, Tally, Unparked};
use crate::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, fence};
use crate::sync::{Arc, Mutex, lock};

/// What other threads see of a worker: its deque from the thief's side, its queue, and what it
/// runs.
///
/// The thread that holds the seat has the right to run jobs. A pool has a seat for each worker, and
/// one for each spare thread that was started.
pub(crate) struct Seat {
    /// The stolen jobs that this worker runs, one on top of the other.
    pub(super) lineage: Lineage,
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
    /// Whether a thread has begun to work here.
    started: AtomicBool,
    /// Whether the worker will never start, or its thread is one that the pool does not own. The
    /// other workers end without it.
    absent: AtomicBool,
    /// Whether it is taking jobs out of another worker's queue.
    pub(super) taking_jobs: AtomicBool,
    pub(crate) parker: Parker,
    /// The worker itself, for the thread that takes it out of the sleepers.
    pub(super) worker: AtomicPtr<Worker>,
    /// The system's number of the thread that holds the seat, in a pool that hands out
    /// numbers.
    pub(super) thread: AtomicUsize,
    /// That of the worker's own thread, which may have lent its seat.
    sleeper: AtomicUsize,
    /// From the thread that has unparked the worker.
    wake_up: Mutex<Option<WakeUp>>,
    /// The parker of the thread that has borrowed the seat.
    pub(super) borrower_parker: Parker,
    pub(crate) counters: Padded<Counters>,
}

impl Seat {
    pub(crate) fn new(thief: Thief<JobHead>, tally: &Arc<Tally>) -> Self {
        let parker = || Parker::new(Some(Arc::clone(tally)));
        Self {
            lineage: Lineage::new(),
            thief,
            calls: Calls::new(),
            queue: Queue::new(),
            fifo: Fifo::new(),
            sleep_slot: SleepSlot::new(),
            busy: AtomicBool::new(true),
            started: AtomicBool::new(false),
            absent: AtomicBool::new(false),
            taking_jobs: AtomicBool::new(false),
            parker: parker(),
            worker: AtomicPtr::new(ptr::null_mut()),
            thread: AtomicUsize::new(0),
            sleeper: AtomicUsize::new(0),
            wake_up: Mutex::new(None),
            borrower_parker: parker(),
            counters: Padded::default(),
        }
    }

    /// The flag that a thief raises if it finds nothing here, and that a worker raises before it
    /// sleeps.
    pub(crate) fn attention(&self) -> &Attention {
        self.thief.attention()
    }

    /// Before the calling thread, which works here, sleeps for the first time.
    pub(super) fn publish_sleeper(&self) {
        // Ordering: published by the lock of the sleepers.
        let thread = ThreadId::current();
        self.sleeper.store(thread.number(), Ordering::Relaxed);
    }

    /// The thread that sleeps here, for one that has taken it out of the sleepers.
    pub(crate) fn sleeper(&self) -> ThreadId {
        ThreadId::from_number(self.sleeper.load(Ordering::Relaxed))
    }

    /// Tells the worker, which was taken out of the sleepers and is to be unparked now, how.
    pub(crate) fn set_wake_up(&self, wake_up: Option<WakeUp>) {
        *lock(&self.wake_up) = wake_up;
    }

    /// Gives the worker, which was unparked after its mask had been changed, its mask back.
    pub(crate) fn restore_sleeper(&self) {
        if let Some(wake_up) = &mut *lock(&self.wake_up) {
            wake_up.restore();
        }
    }

    /// How this worker was unparked, if it has to know. It has its own mask then.
    pub(super) fn take_wake_up(&self) -> Option<WakeUp> {
        let mut slot = lock(&self.wake_up);
        if let Some(wake_up) = &mut *slot {
            wake_up.restore();
        }
        slot.take()
    }

    /// A timed park on the worker's parker or the borrower's. `None` if it timed out.
    pub(super) fn park_timeout_on(&self, parker: &Parker, time: Duration) -> Option<Unparked> {
        let unparked = parker.park_timeout(time);
        if unparked.is_some() {
            self.counters.parks.add_among_others(1);
        }
        unparked
    }

    pub(super) fn park_on(&self, parker: &Parker) -> Unparked {
        self.counters.parks.add_among_others(1);
        parker.park()
    }

    pub(crate) fn metrics(&self) -> WorkerMetrics {
        let forks = self.thief.pushes() as u64;
        self.counters.snapshot(forks, self.queue.len() as u64)
    }

    pub(crate) fn is_busy(&self) -> bool {
        // Ordering: a hint; a value that is one job out of date does no harm.
        self.busy.load(Ordering::Relaxed)
    }

    /// BFG03's load: the jobs in the queue and the job in service.
    pub(crate) fn load(&self) -> usize {
        self.queue.len() + usize::from(self.is_busy())
    }

    /// Whether there are items in the deque.
    pub(crate) fn has_forks(&self) -> bool {
        !self.thief.is_empty()
    }

    /// How many items there are in the deque.
    pub(crate) fn forks(&self) -> usize {
        self.thief.len()
    }

    /// Wakes the worker if it sleeps while it waits, because there is a job that it may run all the
    /// same. Whether it did.
    pub(crate) fn wake_waiting(&self) -> bool {
        self.sleep_slot.wake()
    }

    /// A thread is about to work here.
    pub(crate) fn mark_started(&self) {
        // Ordering: SeqCst, here and below, as for `closing`, which is read together with it.
        self.started.store(true, Ordering::SeqCst);
        // Pairs with the fence of a thread that falls asleep: it counts this thread, or has raised
        // its attention before the first fork.
        fence(Ordering::SeqCst);
    }

    /// Lets the other workers end without this one, or not.
    pub(crate) fn mark_absent(&self, is_absent: bool) {
        self.absent.store(is_absent, Ordering::SeqCst);
    }

    pub(crate) fn is_absent(&self) -> bool {
        self.absent.load(Ordering::SeqCst)
    }

    /// Whether no thread has begun to work here, or the pool does not own the thread.
    pub(crate) fn is_without_thread(&self) -> bool {
        self.is_absent() || !self.started.load(Ordering::SeqCst)
    }

    /// Whether deque and queue are empty.
    pub(crate) fn is_empty(&self) -> bool {
        !self.has_forks() && self.queue.has_nothing()
    }

    /// Whether the worker neither takes jobs from another queue nor runs one.
    pub(crate) fn is_quiescent(&self) -> bool {
        // In this order: a worker is busy before it clears `taking_jobs`.
        // Ordering: Acquire pairs with the Release store in `request_jobs`.
        !self.taking_jobs.load(Ordering::Acquire) && (!self.is_busy() || self.is_without_thread())
    }
}
