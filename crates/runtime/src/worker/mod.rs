//! A worker: one thread of a pool, with its deque.
#![allow(
    unsafe_code,
    reason = "a thread's worker and the latches above it are reached by pointers"
)]

mod idle;
mod lent;
mod wait;
mod yielding;

pub(crate) use lent::Lent;

use core::cell::{Cell, RefCell};
use core::ptr::{self, NonNull};

use filch_deque::{Bottom, Owner, Padded, Place, Steal, Take, Thief};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::blocks::Blocks;
use crate::call::{Call, Calls};
use crate::fifo::Fifo;
use crate::job::{Job, JobHead, JoinJob, Migrated, Panic, discard};
use crate::latch::{Bed, Latch};
use crate::metrics::{Counters, WorkerMetrics};
use crate::pool::Shared;
use crate::queue::Queue;
use crate::sleep::{Attention, Parker, steps};
use crate::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use crate::sync::{Arc, spin_loop, thread_local};

/// How many times a thief looks again when it has asked: some hundred nanoseconds, several times what a
/// victim that forks takes to answer.
const ANSWER: u32 = 20;

/// The part of a worker that others may look at.
pub(crate) struct Seat {
    /// The latch that the stolen child which this worker runs will set: what it forks meanwhile is
    /// below that latch. Null if it runs nothing stolen.
    root: AtomicPtr<Latch>,
    /// Where the deque was when the worker began with that child: what is older is not below it.
    root_base: AtomicUsize,
    /// The latch that this worker waits for, or null.
    waits_for: AtomicPtr<Latch>,
    thief: Thief<JobHead>,
    /// The calls from other pools that this worker works for.
    calls: Calls,
    pub(crate) queue: Queue,
    /// The jobs that it was to run in the order of their spawns; each has a stand-in in the queue.
    pub(crate) fifo: Fifo,
    /// What this worker sleeps on, if it waits.
    bed: Bed,
    /// Whether it is running something, which counts as one job of its load. So does a worker that has
    /// not begun: what is sent to it meanwhile is for those who ask.
    busy: AtomicBool,
    /// Whether it never began, or is a thread that does other things besides. The others end without it.
    absent: AtomicBool,
    /// Whether it is taking jobs out of somebody's queue.
    asks: AtomicBool,
    pub(crate) parker: Parker,
    /// The worker itself: for the one who has taken it out of the sleepers.
    worker: AtomicPtr<Worker>,
    /// Where a thread sleeps that has taken the worker's place.
    lent_parker: Parker,
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
            bed: Bed::new(),
            busy: AtomicBool::new(true),
            absent: AtomicBool::new(false),
            asks: AtomicBool::new(false),
            parker: Parker::new(),
            worker: AtomicPtr::new(ptr::null_mut()),
            lent_parker: Parker::new(),
            counters: Padded::default(),
        }
    }

    /// What somebody raises who looks for work in vain, or sleeps and might want what this worker forks
    /// next.
    pub(crate) fn attention(&self) -> &Attention {
        self.thief.attention()
    }

    /// Dozes on the worker's own parker or that of the thread in its place; false if nobody has woken it.
    fn doze_on(&self, parker: &Parker) -> bool {
        let woken = parker.doze();
        if woken {
            self.counters.parks.add_among_others(1);
        }
        woken
    }

    fn park_on(&self, parker: &Parker) {
        self.counters.parks.add_among_others(1);
        parker.park();
    }

    pub(crate) fn metrics(&self) -> WorkerMetrics {
        let forks = self.thief.pushes() as u64;
        self.counters.snapshot(forks, self.queue.len() as u64)
    }

    fn is_busy(&self) -> bool {
        // Ordering: a load that is out of date by a job is as good.
        self.busy.load(Ordering::Relaxed)
    }

    /// BFG's load: the jobs in the queue and the one in service.
    pub(crate) fn load(&self) -> usize {
        self.queue.len() + usize::from(self.is_busy())
    }

    /// Whether the job at `place` of this worker's deque is below `latch`.
    fn is_below(&self, latch: *const Latch, place: Place) -> bool {
        // Ordering: Acquire pairs with the Release stores in `under`. The root is read again, so that
        // the base is one that it had.
        let has_root = || ptr::eq(self.root.load(Ordering::Acquire), latch);
        has_root() && self.root_base.load(Ordering::Acquire) < place.number() && has_root()
    }

    /// Whether there is something in the deque.
    pub(crate) fn is_forking(&self) -> bool {
        !self.thief.is_empty()
    }

    /// Wakes the worker if it sleeps while it waits: there is something for it alone.
    pub(crate) fn wake_waiting(&self) {
        self.bed.wake();
    }

    /// The others are to end without this worker.
    pub(crate) fn leave(&self) {
        self.absent.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_absent(&self) -> bool {
        // Ordering: SeqCst, as for the closing of the pool, with which it goes.
        self.absent.load(Ordering::SeqCst)
    }

    /// Whether there is nothing in the deque nor in the queue.
    pub(crate) fn is_empty(&self) -> bool {
        !self.is_forking() && self.queue.has_nothing()
    }

    /// Whether the worker has nothing in its hands: it neither takes jobs from a queue nor runs one.
    pub(crate) fn is_at_rest(&self) -> bool {
        // In this order: a worker is busy before it has done asking.
        // Ordering: Acquire pairs with the Release store in `ask_for_jobs`.
        !self.asks.load(Ordering::Acquire) && (!self.is_busy() || self.is_absent())
    }
}

/// A worker, and what it runs: two frames with the same home lie on one stack, within one stolen job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Home {
    worker: usize,
    root: usize,
}

impl Home {
    /// Whether it is in `worker`, of the same pool.
    pub(crate) fn is_of(self, worker: &Worker) -> bool {
        self.worker == worker.index
    }
}

/// A thread of the pool, seen from that thread, or from one that has taken its place.
pub(crate) struct Worker {
    deque: Owner<JobHead>,
    /// This worker's place in `shared.seats`, which lives as long as `shared`.
    seat: NonNull<Seat>,
    index: usize,
    shared: Arc<Shared>,
    rng: RefCell<Xoshiro256PlusPlus>,
    blocks: Blocks,
    /// Whether a thread from outside works in its place.
    lent: Cell<bool>,
}

thread_local! {
    static CURRENT: Current = const {
        Current {
            deque: Cell::new(ptr::null()),
            worker: Cell::new(ptr::null()),
        }
    };
}

/// The worker that a thread is, if it is one; and its deque, which is all that most forks need.
struct Current {
    deque: Cell<*const Bottom<JobHead>>,
    worker: Cell<*const Worker>,
}

impl Current {
    fn set(&self, worker: Option<&Worker>) {
        self.deque
            .set(worker.map_or(ptr::null(), |worker| &*worker.deque));
        self.worker.set(worker.map_or(ptr::null(), ptr::from_ref));
    }
}

impl Worker {
    pub(crate) fn new(deque: Owner<JobHead>, index: usize, shared: Arc<Shared>) -> Self {
        Self {
            deque,
            seat: NonNull::from(&*shared.seats[index]),
            index,
            rng: RefCell::new(Xoshiro256PlusPlus::seed_from_u64(
                shared.seed.wrapping_add(index as u64),
            )),
            shared,
            blocks: Blocks::new(),
            lent: Cell::new(false),
        }
    }

    /// The worker that the current thread is.
    #[inline]
    pub(crate) fn current<'a>() -> Option<&'a Self> {
        let current = CURRENT.with(|current| current.worker.get());
        // SAFETY: the pointer is set while the worker lives and is this thread's, by a frame below
        // everything that could call this; the reference is not handed out by any public function.
        unsafe { current.as_ref() }
    }

    /// Makes this the current thread's worker while `work` runs.
    pub(crate) fn on_this_thread(&self, work: impl FnOnce(&Self)) {
        struct Reset;
        impl Drop for Reset {
            fn drop(&mut self) {
                CURRENT.with(|current| current.set(None));
            }
        }
        let _reset = Reset;
        CURRENT.with(|current| current.set(Some(self)));
        work(self);
    }

    /// Makes this the current thread's worker for good.
    pub(crate) fn keep_on_this_thread(self) {
        let worker: &'static Self = Box::leak(Box::new(self));
        CURRENT.with(|current| current.set(Some(worker)));
    }

    #[inline]
    fn seat(&self) -> &Seat {
        // SAFETY: the seat lives as long as `shared`, and so does `self`.
        unsafe { self.seat.as_ref() }
    }

    /// Where the thread sleeps that this worker is at present.
    fn parker(&self) -> &Parker {
        if self.lent.get() {
            &self.seat().lent_parker
        } else {
            &self.seat().parker
        }
    }

    pub(crate) fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    pub(crate) fn index(&self) -> usize {
        self.index
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    pub(crate) fn is_of(&self, shared: &Arc<Shared>) -> bool {
        Arc::ptr_eq(&self.shared, shared)
    }

    /// The call from another pool that this worker works for.
    pub(crate) fn call(&self) -> Option<Arc<Call>> {
        self.seat().calls.current()
    }

    /// Runs `work` as part of a call, if it is part of one.
    pub(crate) fn within(&self, call: Option<Arc<Call>>, work: impl FnOnce()) {
        match call {
            Some(call) => {
                self.seat().calls.enter(self.deque.place(), call);
                work();
                self.seat().calls.leave();
            }
            None => work(),
        }
    }

    /// Calls a handler of the user's with the number of this worker. If it panics, the worker goes on.
    pub(crate) fn tell(&self, handler: Option<&(dyn Fn(usize) + Send + Sync)>) {
        if let Some(handler) = handler {
            let told =
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| handler(self.index)));
            if let Err(panic) = told {
                self.report(panic);
            }
        }
    }

    /// Nobody will look at this panic: tells the pool's handler.
    pub(crate) fn report(&self, panic: Panic) {
        self.shared.report(panic);
    }

    /// A fork for a child of a scope.
    pub(crate) fn fork_job(&self, job: Job) {
        fork(&self.deque, job.into_head());
    }

    /// Somebody looks for work, or sleeps and might want what was forked.
    fn attend(&self) {
        let seat = self.seat();
        let publish = || self.deque.publish();
        let wake_one = || self.wake_one();
        let root = || {
            // Ordering: only this worker writes its root.
            let root = seat.root.load(Ordering::Relaxed);
            // SAFETY: we run a child of that latch, which is not set before the child ends.
            unsafe { root.as_ref() }
        };
        steps::attend(
            &self.shared.sleep,
            seat.attention(),
            publish,
            wake_one,
            root,
        );
    }

    /// Steals the oldest job of `victim`, if `condition` holds while it is in the deque: taken if it is
    /// public, asked for if it is hidden, and taken by force if the victim does not answer and that is
    /// allowed by then.
    fn steal_from(
        &self,
        victim: &Seat,
        mut may_force: impl FnMut(bool) -> bool,
        condition: impl Fn(Place) -> bool,
    ) -> Option<Job> {
        let at = Cell::new(None);
        let condition = |place| {
            at.set(Some(place));
            condition(place)
        };
        let mut stolen = victim.thief.steal_if(condition);
        if matches!(stolen, Steal::Empty | Steal::Hidden) {
            victim.attention().raise();
        }
        for _ in 0..ANSWER {
            if !matches!(stolen, Steal::Hidden | Steal::Lost) {
                break;
            }
            spin_loop();
            stolen = victim.thief.steal_if(condition);
        }
        if stolen == Steal::Hidden && may_force(victim.thief.is_fenced()) {
            stolen = self.shared.force(|| victim.thief.force_if(condition));
        }
        let counters = &self.seat().counters;
        counters.attempts.add(1);
        let Steal::Got(head) = stolen else {
            return None;
        };
        counters.steals.add(1);
        // The call is not over before the job has ended.
        let call = at.get().and_then(|place| victim.calls.at(place));
        // SAFETY: what comes out of a deque was put in by `fork`, and comes out once.
        Some(unsafe { Job::new(head) }.within(call))
    }

    /// Wakes an idle worker, if one sleeps.
    pub(crate) fn wake_one(&self) {
        if self.shared.wake_any() {
            self.seat().counters.wake_ups.add(1);
        }
    }

    /// Runs `work`, a stolen child that will set `latch`, as below that latch.
    pub(crate) fn below<R>(&self, latch: NonNull<Latch>, work: impl FnOnce() -> R) -> R {
        self.under(latch.as_ptr(), || {
            // SAFETY: the latch is not set before `work` has ended.
            steps::start(unsafe { latch.as_ref() }, self.seat().attention());
            work()
        })
    }

    /// Runs `work`, of which it is not known what it is below.
    fn rootless(&self, work: impl FnOnce()) {
        self.under(ptr::null_mut(), work);
    }

    /// Runs `work` with another root. What this worker waits for is above that, so it is not shown
    /// to those who look for something to help with below.
    fn under<R>(&self, root: *mut Latch, work: impl FnOnce() -> R) -> R {
        let seat = self.seat();
        // Ordering: only this worker writes these two. Release, so that a thief who sees a job of ours
        // that was pushed after this (through `bottom` or `public`) sees the root.
        let above = seat.root.load(Ordering::Relaxed);
        let waits_for = seat.waits_for.load(Ordering::Relaxed);
        let base = seat.root_base.load(Ordering::Relaxed);
        // The larger base is there as long as the new root is, and a little longer: whoever reads them
        // apart refuses more than it need.
        seat.waits_for.store(ptr::null_mut(), Ordering::Release);
        seat.root_base
            .store(self.deque.place().number(), Ordering::Release);
        seat.root.store(root, Ordering::Release);
        let result = work();
        seat.root.store(above, Ordering::Release);
        seat.root_base.store(base, Ordering::Release);
        seat.waits_for.store(waits_for, Ordering::Release);
        // Who waits further up may have fallen asleep meanwhile, and forks from now on are its.
        // SAFETY: we run a child of that latch, which is not set before the child ends.
        if let Some(above) = unsafe { above.as_ref() } {
            steps::start(above, seat.attention());
        }
        result
    }

    /// Where this worker is in the computation.
    pub(crate) fn home(&self) -> Home {
        // Ordering: only this worker writes its root.
        Home {
            worker: self.index,
            root: self.seat().root.load(Ordering::Relaxed).addr(),
        }
    }

    /// Whether this worker runs a stolen child of `latch`.
    pub(crate) fn is_below(&self, latch: &Latch) -> bool {
        ptr::eq(self.seat().root.load(Ordering::Relaxed), latch)
    }

    /// The second child is not where it was left: newer jobs lie above it, or a thief has it.
    fn join_slowly<B, R>(&self, job: &JoinJob<B, R>, found: Take) -> R
    where
        B: FnOnce(Migrated) -> R + Send,
        R: Send,
    {
        if self.take_back(job.head(), found) {
            // SAFETY: it was taken back.
            return unsafe { job.run_here() };
        }
        // The deque is empty now: thieves take the oldest first, and the newest is gone.
        self.wait_for(job.latch(self), self.deque.place());
        // SAFETY: the latch is set.
        match unsafe { job.result() } {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    /// Runs what was left above the job in the deque; true if the job is then ours.
    fn take_back(&self, job: NonNull<JobHead>, mut found: Take) -> bool {
        loop {
            match found {
                Take::Mine => return true,
                Take::Stolen => return false,
                Take::Covered => {
                    // What lies above was out of sight for a moment.
                    if self.deque.is_wanted() {
                        self.attend();
                    }
                    if let Some(above) = self.pop() {
                        above.run(self);
                    }
                }
            }
            found = self.deque.take(job);
        }
    }

    /// The newest job of the own deque.
    fn pop(&self) -> Option<Job> {
        // SAFETY: what comes out of a deque was put in by `fork`, and comes out once.
        self.deque.pop().map(|head| unsafe { Job::new(head) })
    }

    /// The newest job of the own deque, if it was pushed since the deque was at `base`.
    fn pop_from(&self, base: Place) -> Option<Job> {
        if self.deque.is_above(base) {
            self.pop()
        } else {
            None
        }
    }

    /// The place in the deque from which a scope's children are counted.
    pub(crate) fn place(&self) -> Place {
        self.deque.place()
    }

    /// Runs what was left in the deque since it was at `base`.
    pub(crate) fn run_from(&self, base: Place) {
        while let Some(job) = self.pop_from(base) {
            job.run(self);
        }
    }

    /// Waits for the end of a scope that was opened when the deque was at `base`.
    pub(crate) fn finish_scope(&self, latch: &Latch, base: Place) {
        while !latch.is_set() {
            match self.pop_from(base) {
                Some(job) => job.run(self),
                None => self.wait_for(latch, base),
            }
        }
    }
}

/// The deque of the current thread, if that is a worker.
#[inline]
pub(crate) fn current_deque<'a>() -> Option<&'a Bottom<JobHead>> {
    let deque = CURRENT.with(|current| current.deque.get());
    // SAFETY: as in `Worker::current`: the deque is that worker's.
    unsafe { deque.as_ref() }
}

/// The worker whose deque is in the caller's hands.
fn here<'a>() -> &'a Worker {
    Worker::current().expect("the deque of a worker is used by that worker")
}

/// Puts a job where thieves can reach it, and sees to it that somebody comes if others sleep.
#[inline]
fn fork(deque: &Bottom<JobHead>, job: NonNull<JobHead>) {
    #[cold]
    fn attend() {
        here().attend();
    }
    if deque.push(job) {
        attend();
    }
}

/// Runs `a` here and `b` here or on a thief, which `b` is told. `deque` is the current thread's.
#[inline]
pub(crate) fn join<A, B, RA, RB>(deque: &Bottom<JobHead>, a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce(Migrated) -> RB + Send,
    RA: Send,
    RB: Send,
{
    let job = JoinJob::new(b);
    fork(deque, job.head());
    let unjoined = Unjoined { job: &job };
    let ra = a();
    core::mem::forget(unjoined);
    let rb = match deque.take(job.head()) {
        // SAFETY: it was taken back.
        Take::Mine => unsafe { job.run_here() },
        found => join_slowly(&job, found),
    };
    (ra, rb)
}

#[cold]
#[inline(never)]
fn join_slowly<B, R>(job: &JoinJob<B, R>, found: Take) -> R
where
    B: FnOnce(Migrated) -> R + Send,
    R: Send,
{
    here().join_slowly(job, found)
}

/// The first child of a join panicked while the second was out: the second has to end before its
/// frame does. As ever, both children are run.
struct Unjoined<'a, B: FnOnce(Migrated) -> R + Send, R: Send> {
    job: &'a JoinJob<B, R>,
}

impl<B: FnOnce(Migrated) -> R + Send, R: Send> Drop for Unjoined<'_, B, R> {
    // Inlined, so that the field stays in a register while nothing panics.
    #[inline(always)]
    fn drop(&mut self) {
        join_after_panic(self.job);
    }
}

#[cold]
#[inline(never)]
fn join_after_panic<B, R>(job: &JoinJob<B, R>)
where
    B: FnOnce(Migrated) -> R + Send,
    R: Send,
{
    let worker = here();
    let joined =
        std::panic::AssertUnwindSafe(|| worker.join_slowly(job, worker.deque.take(job.head())));
    // The first panic is the one that the caller gets.
    discard(std::panic::catch_unwind(joined));
}
