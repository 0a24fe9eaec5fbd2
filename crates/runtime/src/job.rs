//! What workers run: a pointer to something that knows how to run itself.
#![allow(
    unsafe_code,
    reason = "jobs live on other threads' stacks and are run through pointers"
)]

use core::cell::UnsafeCell;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::ptr::{self, NonNull};
use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::thread::Result;

use crate::blocks::Blocks;
use crate::call::Call;
use crate::latch::{BlockingLatch, Latch};
use crate::pool::{CLOSE_LOOKS, Shared};
use crate::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use crate::sync::thread::yield_now;
use crate::sync::{Arc, Condvar, Mutex, lock, spin_loop};
use crate::words::read_by_words;
use crate::worker::Worker;

/// The beginning of every job, all that a deque or a queue knows of it.
#[repr(C)]
pub(crate) struct JobHead {
    /// A [`Run`], until the job has begun. Only a job that others look at then changes it.
    run: AtomicPtr<()>,
}

/// How to run a job.
///
/// # Safety
///
/// The pointer is the job's, and it is run at most once.
type Run = unsafe fn(NonNull<JobHead>, &Worker);

impl JobHead {
    #[inline]
    fn new(run: Run) -> Self {
        Self {
            run: AtomicPtr::new(run as *mut ()),
        }
    }

    fn run(&self) -> Run {
        // Ordering: whoever has the job got it from a deque or a queue, which published it.
        let run = self.run.load(Ordering::Relaxed);
        // SAFETY: `new` made it from a `Run`, and the job has not begun.
        unsafe { core::mem::transmute::<*mut (), Run>(run) }
    }

    /// The job has begun, and what it is about to leave for others is in place.
    fn begin(&self) {
        // Ordering: Release pairs with the load in `has_begun`.
        self.run.store(ptr::null_mut(), Ordering::Release);
    }

    fn has_begun(&self) -> bool {
        self.run.load(Ordering::Acquire).is_null()
    }
}

/// A job that nobody else will run.
pub(crate) struct Job {
    head: NonNull<JobHead>,
    /// The call from another pool that it belongs to.
    pub(crate) call: Option<Arc<Call>>,
}

// SAFETY: a job may be run by any thread; the constructors require that its content may be sent.
unsafe impl Send for Job {}

impl Job {
    /// # Safety
    ///
    /// The job has not been run, will be run through this alone, and lives until then.
    pub(crate) unsafe fn new(head: NonNull<JobHead>) -> Self {
        Self { head, call: None }
    }

    /// The same job, as part of a call.
    pub(crate) fn within(self, call: Option<Arc<Call>>) -> Self {
        Self { call, ..self }
    }

    pub(crate) fn run(self, worker: &Worker) {
        // Every job catches what its body does. If something else unwinds, frames above that wait for
        // other jobs would go before these do.
        let abort = AbortOnUnwind;
        worker.within(self.call, || {
            // SAFETY: the job lives.
            let run = unsafe { self.head.as_ref() }.run();
            // SAFETY: `new` promised that this is the one run.
            unsafe { run(self.head, worker) };
        });
        core::mem::forget(abort);
    }

    pub(crate) fn into_head(self) -> NonNull<JobHead> {
        self.head
    }
}

struct AbortOnUnwind;

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        std::process::abort();
    }
}

/// The second child of a join, on the stack of the worker that forked it.
///
/// Only `head` is looked at by others while it is in a deque. A thief that has won it puts a latch
/// there, takes the closure, leaves the result and sets the latch; if nobody stole it, the worker
/// takes the closure back and nothing else was ever written.
#[repr(C)]
pub(crate) struct JoinJob<B, R> {
    head: JobHead,
    latch: UnsafeCell<MaybeUninit<Latch>>,
    body: UnsafeCell<ManuallyDrop<B>>,
    result: UnsafeCell<MaybeUninit<Result<R>>>,
}

/// Whether a child is run by another thread than the one that forked it.
pub(crate) type Migrated = bool;

impl<B: FnOnce(Migrated) -> R + Send, R: Send> JoinJob<B, R> {
    #[inline]
    pub(crate) fn new(body: B) -> Self {
        Self {
            head: JobHead::new(Self::run_stolen),
            latch: UnsafeCell::new(MaybeUninit::uninit()),
            body: UnsafeCell::new(ManuallyDrop::new(body)),
            result: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// The pointer for the deque: derived from the whole job, as `run_stolen` reads all of it.
    #[inline]
    pub(crate) fn head(&self) -> NonNull<JobHead> {
        NonNull::from(self).cast()
    }

    /// The latch that a thief sets. The job was stolen from `worker`, so a thief has put it there or is
    /// about to.
    pub(crate) fn latch(&self, worker: &Worker) -> &Latch {
        let mut looks = 0;
        while !self.head.has_begun() {
            // It is a matter of nanoseconds, unless the system has stopped the thief.
            if looks < CLOSE_LOOKS {
                looks += 1;
                spin_loop();
            } else {
                worker.shared().assert_not_forked();
                yield_now();
            }
        }
        // SAFETY: the thief does not write the cell again.
        let latch = unsafe { &*self.latch.get() };
        // SAFETY: it was written before `begin`.
        unsafe { latch.assume_init_ref() }
    }

    /// Runs the closure here.
    ///
    /// # Safety
    ///
    /// The job was taken back from the deque, so no thief has it, and this is called once.
    #[inline]
    pub(crate) unsafe fn run_here(&self) -> R {
        // SAFETY: nobody else touches the closure, and it is taken once.
        let body = unsafe { read_by_words(self.body.get().cast::<B>()) };
        body(false)
    }

    /// The result that a thief left.
    ///
    /// # Safety
    ///
    /// The latch is set, and this is called once.
    pub(crate) unsafe fn result(&self) -> Result<R> {
        // SAFETY: the thief is done with the result.
        let result = unsafe { &*self.result.get() };
        // SAFETY: the thief wrote the result before it set the latch, and it is read once.
        unsafe { result.assume_init_read() }
    }

    /// # Safety
    ///
    /// As [`JobHead::run`]; the job lives until its latch is set.
    unsafe fn run_stolen(head: NonNull<JobHead>, worker: &Worker) {
        let job = head.cast::<Self>();
        // SAFETY: the forking worker waits for the latch, so the job lives.
        let this = unsafe { job.as_ref() };
        // SAFETY: nobody reads the latch before `begin`.
        let latch = unsafe { &mut *this.latch.get() };
        let latch = NonNull::from(&*latch.write(Latch::new()));
        this.head.begin();
        // SAFETY: the thief has won the job, so the closure is its own.
        let body = unsafe { &mut *this.body.get() };
        // SAFETY: a job is run once.
        let body = unsafe { ManuallyDrop::take(body) };
        let body = AssertUnwindSafe(|| body(true));
        let result = worker.below(latch, || panic::catch_unwind(body));
        // SAFETY: nobody reads the result before the latch is set.
        unsafe { (*this.result.get()).write(result) };
        // SAFETY: the latch lives until it is set; the waiting worker belongs to this pool, and so
        // does its parker.
        unsafe { Latch::set(latch) };
    }
}

/// A child of a scope, on the heap: at most one allocation for each spawn.
#[repr(C)]
pub(crate) struct HeapJob<F> {
    head: JobHead,
    body: F,
}

impl<F: FnOnce(&Worker) + Send> HeapJob<F> {
    /// In memory of the current worker, if there is one.
    ///
    /// # Safety
    ///
    /// Whatever `body` borrows outlives its run.
    pub(crate) unsafe fn placed(body: F, worker: Option<&Worker>) -> Job {
        let job = Self {
            head: JobHead::new(Self::run_once),
            body,
        };
        let place = Blocks::place(worker.map(Worker::blocks), job);
        // SAFETY: the place is this one job's.
        unsafe { Job::new(place.cast()) }
    }

    /// # Safety
    ///
    /// As [`JobHead::run`].
    unsafe fn run_once(head: NonNull<JobHead>, worker: &Worker) {
        // SAFETY: the pointer came from `placed`, and is run once.
        let job = unsafe { worker.blocks().take_back(head.cast::<Self>()) };
        (job.body)(worker);
    }
}

/// Work that somebody outside the pool waits for, on that thread's stack.
#[repr(C)]
pub(crate) struct InstallJob<F, R, L> {
    head: JobHead,
    latch: L,
    body: UnsafeCell<Option<F>>,
    result: UnsafeCell<Option<Result<R>>>,
}

/// The two ways to wait for an installed job.
pub(crate) trait Signal {
    /// # Safety
    ///
    /// `this` lives until the waiting thread can see it set.
    unsafe fn signal(this: NonNull<Self>);
}

/// What a worker waits for that is not done by its own pool. It keeps that pool, and with it the
/// worker's parker, until the worker has been woken.
pub(crate) struct CrossLatch {
    latch: Latch,
    pool: Arc<Shared>,
}

impl CrossLatch {
    pub(crate) fn new(pool: Arc<Shared>) -> Self {
        Self {
            latch: Latch::new(),
            pool,
        }
    }

    pub(crate) fn latch(&self) -> &Latch {
        &self.latch
    }
}

impl Signal for CrossLatch {
    unsafe fn signal(this: NonNull<Self>) {
        // SAFETY: the latch is not set yet, so it lives.
        let cross = unsafe { this.as_ref() };
        let latch = NonNull::from(&cross.latch);
        let pool = Arc::clone(&cross.pool);
        // SAFETY: the latch lives until it is set, and the parker as long as `pool`.
        unsafe { Latch::set(latch) };
        drop(pool);
    }
}

impl Signal for BlockingLatch {
    unsafe fn signal(this: NonNull<Self>) {
        // SAFETY: promised by the caller.
        unsafe { Self::set(this) };
    }
}

impl<F: FnOnce() -> R + Send, R: Send, L: Signal> InstallJob<F, R, L> {
    pub(crate) fn new(body: F, latch: L) -> Self {
        Self {
            head: JobHead::new(Self::run_installed),
            latch,
            body: UnsafeCell::new(Some(body)),
            result: UnsafeCell::new(None),
        }
    }

    /// # Safety
    ///
    /// The caller waits for the latch before it lets the job go, and calls this once.
    pub(crate) unsafe fn job(&self) -> Job {
        // SAFETY: promised by the caller.
        unsafe { Job::new(NonNull::from(self).cast()) }
    }

    pub(crate) fn latch(&self) -> &L {
        &self.latch
    }

    /// What came of it, after the latch was set.
    pub(crate) fn into_result(self) -> Result<R> {
        self.result
            .into_inner()
            .expect("an installed job has run when its latch is set")
    }

    /// # Safety
    ///
    /// As [`JobHead::run`]; the job lives until its latch is set.
    unsafe fn run_installed(head: NonNull<JobHead>, _: &Worker) {
        // SAFETY: the installing thread waits for the latch, so the job lives.
        let this = unsafe { head.cast::<Self>().as_ref() };
        // SAFETY: the one run has the body to itself.
        let body = unsafe { &mut *this.body.get() }
            .take()
            .expect("an installed job runs once");
        let result = panic::catch_unwind(AssertUnwindSafe(body));
        // SAFETY: nobody reads the result before the latch is set.
        unsafe { *this.result.get() = Some(result) };
        // SAFETY: the latch lives until it is set.
        unsafe { L::signal(NonNull::from(&this.latch)) };
    }
}

/// An independent job, shared by the queue that holds it and the handle that waits for it: one
/// allocation for each spawn. Whoever takes the body runs it.
#[repr(C)]
pub(crate) struct Task<F, R> {
    head: JobHead,
    body: Mutex<Option<F>>,
    outcome: Outcome<R>,
}

/// What is left behind for the handle.
pub(crate) struct Outcome<R> {
    state: Mutex<State<R>>,
    done: Condvar,
    /// For those who only look.
    is_done: AtomicBool,
}

struct State<R> {
    result: Option<Result<R>>,
    /// The worker that waits, if it is one.
    waiter: Option<Waiter>,
    /// Whether a thread blocks on `done`.
    blocks: bool,
}

struct Waiter(NonNull<CrossLatch>);

// SAFETY: a latch may be set by any thread; it lives until then.
unsafe impl Send for Waiter {}

/// A task as its handle sees it.
pub(crate) trait Awaited<R>: Send + Sync {
    /// Runs the task if nobody has begun to.
    fn run_if_waiting(&self);
    /// Blocks until the task has ended.
    fn wait(&self) -> Result<R>;
    /// Lets `latch` be set when the task has ended; false if it has.
    ///
    /// # Safety
    ///
    /// The caller waits for the latch before it lets it go.
    unsafe fn tell(&self, latch: &CrossLatch) -> bool;
    /// Whether the task has ended.
    fn is_finished(&self) -> bool;
}

impl<F: FnOnce() -> R + Send + 'static, R: Send + 'static> Task<F, R> {
    pub(crate) fn new(body: F) -> Arc<Self> {
        Arc::new(Self {
            head: JobHead::new(Self::run_task),
            body: Mutex::new(Some(body)),
            outcome: Outcome {
                state: Mutex::new(State {
                    result: None,
                    waiter: None,
                    blocks: false,
                }),
                done: Condvar::new(),
                is_done: AtomicBool::new(false),
            },
        })
    }

    /// A share of the task, for a queue.
    pub(crate) fn job(self: &Arc<Self>) -> Job {
        let raw = Arc::into_raw(Arc::clone(self)).cast_mut();
        // SAFETY: the pointer of an `Arc` is not null.
        let head = unsafe { NonNull::new_unchecked(raw) }.cast();
        // SAFETY: the share keeps the task until it is run.
        unsafe { Job::new(head) }
    }

    /// # Safety
    ///
    /// As [`JobHead::run`].
    unsafe fn run_task(head: NonNull<JobHead>, worker: &Worker) {
        // SAFETY: the pointer came from `job`, which left one count to it.
        let task = unsafe { Arc::from_raw(head.cast::<Self>().as_ptr()) };
        task.run_if_waiting();
        // The queue's share is the last if the handle was dropped: nobody will look at the panic.
        match Arc::into_inner(task).and_then(Self::into_result) {
            Some(Err(panic)) => worker.report(panic),
            unwanted => discard(unwanted),
        }
    }

    fn into_result(self) -> Option<Result<R>> {
        lock(&self.outcome.state).result.take()
    }
}

impl<F: FnOnce() -> R + Send, R: Send> Awaited<R> for Task<F, R> {
    fn run_if_waiting(&self) {
        let body = lock(&self.body).take();
        if let Some(body) = body {
            let result = panic::catch_unwind(AssertUnwindSafe(body));
            let mut state = lock(&self.outcome.state);
            state.result = Some(result);
            // Ordering: Release pairs with the Acquire load in `is_finished`: who sees it sees what the job did.
            self.outcome.is_done.store(true, Ordering::Release);
            let (waiter, blocks) = (state.waiter.take(), state.blocks);
            drop(state);
            // A notification is a system call, whether or not anybody hears it.
            if blocks {
                self.outcome.done.notify_all();
            }
            if let Some(Waiter(latch)) = waiter {
                // SAFETY: `tell` promised that the latch lives until it is set.
                unsafe { CrossLatch::signal(latch) };
            }
        }
    }

    fn wait(&self) -> Result<R> {
        let mut state = lock(&self.outcome.state);
        loop {
            if let Some(result) = state.result.take() {
                return result;
            }
            state.blocks = true;
            state = self
                .outcome
                .done
                .wait(state)
                .unwrap_or_else(|poison| poison.into_inner());
        }
    }

    unsafe fn tell(&self, latch: &CrossLatch) -> bool {
        let mut state = lock(&self.outcome.state);
        if state.result.is_none() {
            state.waiter = Some(Waiter(NonNull::from(latch)));
        }
        state.result.is_none()
    }

    fn is_finished(&self) -> bool {
        // Ordering: as above.
        self.outcome.is_done.load(Ordering::Acquire)
    }
}

/// Drops what nobody wants. A value that panics when it is dropped does no more harm than that.
pub(crate) fn discard<T>(value: T) {
    let dropped = panic::catch_unwind(AssertUnwindSafe(|| drop(value)));
    // The payload of that panic might do the same again.
    core::mem::forget(dropped);
}

/// The payload of a panic.
pub(crate) type Panic = Box<dyn Any + Send>;
