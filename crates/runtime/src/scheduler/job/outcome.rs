use core::ptr::NonNull;
#[cfg(feature = "async")]
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::Result;

#[cfg(feature = "async")]
use super::discard;
use super::{CrossLatch, Signal as _};
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Condvar, Mutex, lock};

/// The result of a task, and the waiter for it.
pub(crate) struct Outcome<R> {
    state: Mutex<OutcomeState<R>>,
    done: Condvar,
    /// The same as `state.result.is_some()`, until the result is taken. Read without the lock.
    is_done: AtomicBool,
}

struct OutcomeState<R> {
    result: Option<Result<R>>,
    /// The latch of the waiter, if that is a worker.
    waiter: Option<Waiter>,
    /// Whether a thread that is no worker waits on `done`.
    blocks: bool,
    /// The asynchronous task that polls for the result.
    #[cfg(feature = "async")]
    waker: Option<core::task::Waker>,
}

struct Waiter(NonNull<CrossLatch>);

// SAFETY: any thread may set a latch, and it lives until it is set.
unsafe impl Send for Waiter {}

impl<R> Outcome<R> {
    pub(crate) fn new() -> Self {
        Self {
            state: Mutex::new(OutcomeState {
                result: None,
                waiter: None,
                blocks: false,
                #[cfg(feature = "async")]
                waker: None,
            }),
            done: Condvar::new(),
            is_done: AtomicBool::new(false),
        }
    }

    /// Stores the result and wakes the waiter.
    pub(crate) fn finish(&self, result: Result<R>) {
        let mut state = lock(&self.state);
        state.result = Some(result);
        // Ordering: Release pairs with the Acquire load in `is_finished`, so that its caller sees
        // what the job wrote.
        self.is_done.store(true, Ordering::Release);
        let (waiter, blocks) = (state.waiter.take(), state.blocks);
        #[cfg(feature = "async")]
        let waker = state.waker.take();
        drop(state);
        // A notification is a system call even if no thread waits.
        if blocks {
            self.done.notify_all();
        }
        if let Some(Waiter(latch)) = waiter {
            // SAFETY: the caller of `set_when_done` keeps the latch until it is set.
            unsafe { CrossLatch::signal(latch) };
        }
        #[cfg(feature = "async")]
        if let Some(waker) = waker {
            // The executor's code: a panic in it is not ours, and must not end the worker.
            discard(catch_unwind(AssertUnwindSafe(|| waker.wake())));
        }
    }

    /// Takes the result, or registers `waker` to be woken when there is one. Only the last waker
    /// counts.
    ///
    /// # Panics
    ///
    /// If the result was taken.
    #[cfg(feature = "async")]
    pub(crate) fn poll(&self, waker: &core::task::Waker) -> core::task::Poll<Result<R>> {
        use core::task::Poll;

        let mut state = lock(&self.state);
        if let Some(result) = state.result.take() {
            return Poll::Ready(result);
        }
        assert!(
            !self.is_finished(),
            "a job was polled after its result was taken"
        );
        let older = match &mut state.waker {
            Some(older) if older.will_wake(waker) => None,
            older => older.replace(waker.clone()),
        };
        drop(state);
        // Outside the lock: it is the executor's code.
        discard(older);
        Poll::Pending
    }

    /// Forgets the waker that polled last.
    #[cfg(feature = "async")]
    pub(crate) fn drop_waker(&self) {
        let waker = lock(&self.state).waker.take();
        // Outside the lock: it is the executor's code.
        discard(waker);
    }

    /// Blocks until there is a result and takes it.
    pub(crate) fn wait(&self) -> Result<R> {
        let mut state = lock(&self.state);
        loop {
            if let Some(result) = state.result.take() {
                return result;
            }
            state.blocks = true;
            state = self
                .done
                .wait(state)
                .unwrap_or_else(|poison| poison.into_inner());
        }
    }

    /// Registers `latch` to be set when there is a result. False if there is one already.
    ///
    /// # Safety
    ///
    /// If this returns true, the latch is not dropped before it is set.
    pub(crate) unsafe fn set_when_done(&self, latch: &CrossLatch) -> bool {
        let mut state = lock(&self.state);
        if state.result.is_none() {
            state.waiter = Some(Waiter(NonNull::from(latch)));
        }
        state.result.is_none()
    }

    pub(crate) fn is_finished(&self) -> bool {
        // Ordering: Acquire pairs with the Release store in `finish`.
        self.is_done.load(Ordering::Acquire)
    }

    /// The result, if there is one and it was not taken.
    pub(crate) fn take(&self) -> Option<Result<R>> {
        lock(&self.state).result.take()
    }
}
