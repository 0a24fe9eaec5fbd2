use core::ptr::NonNull;
#[cfg(feature = "async")]
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::Result;

use super::{CrossLatch, Signal as _, discard};
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Condvar, Mutex, into_inner, lock};

/// The result of a task, and the waiter for it.
///
/// A waiter and a result share their memory: a task is allocated for each job, and allocators are
/// much slower where one thread allocates and another frees what is larger than some 120 bytes.
pub(crate) struct Outcome<R> {
    state: Mutex<OutcomeState<R>>,
    done: Condvar,
    /// Whether there is a result, or was one until it was taken. Read without the lock.
    is_done: AtomicBool,
}

enum OutcomeState<R> {
    /// There is no result, and no thread waits for one.
    Pending,
    /// A worker waits, on this latch.
    Awaited(Waiter),
    /// A thread that is no worker waits on `done`.
    Blocking,
    /// An asynchronous task has polled.
    #[cfg(feature = "async")]
    Polled(core::task::Waker),
    Done(Result<R>),
    Taken,
}

struct Waiter(NonNull<CrossLatch>);

// SAFETY: any thread may set a latch, and it lives until it is set.
unsafe impl Send for Waiter {}

impl<R> OutcomeState<R> {
    /// Takes the result, if there is one.
    fn take(&mut self) -> Option<Result<R>> {
        match core::mem::replace(self, Self::Taken) {
            Self::Done(result) => Some(result),
            other => {
                *self = other;
                None
            }
        }
    }
}

impl<R> Outcome<R> {
    pub(crate) fn new() -> Self {
        Self {
            state: Mutex::new(OutcomeState::Pending),
            done: Condvar::new(),
            is_done: AtomicBool::new(false),
        }
    }

    /// Stores the result and wakes the waiter.
    pub(crate) fn finish(&self, result: Result<R>) {
        let mut state = lock(&self.state);
        let before = core::mem::replace(&mut *state, OutcomeState::Done(result));
        // Ordering: Release pairs with the Acquire load in `is_finished`, so that its caller sees
        // what the job wrote.
        self.is_done.store(true, Ordering::Release);
        drop(state);
        match before {
            // A notification is a system call even if no thread waits.
            OutcomeState::Blocking => self.done.notify_all(),
            // SAFETY: the caller of `set_when_done` keeps the latch until it is set.
            OutcomeState::Awaited(Waiter(latch)) => unsafe { CrossLatch::signal(latch) },
            // The executor's code: a panic in it is not ours, and must not end the worker.
            #[cfg(feature = "async")]
            OutcomeState::Polled(waker) => {
                discard(catch_unwind(AssertUnwindSafe(|| waker.wake())));
            }
            other => discard(other),
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
        if let Some(result) = state.take() {
            return Poll::Ready(result);
        }
        assert!(
            !self.is_finished(),
            "a job was polled after its result was taken"
        );
        let older = match &mut *state {
            OutcomeState::Polled(older) if older.will_wake(waker) => None,
            state => Some(core::mem::replace(
                state,
                OutcomeState::Polled(waker.clone()),
            )),
        };
        drop(state);
        // Outside the lock: it is the executor's code.
        discard(older);
        Poll::Pending
    }

    /// Forgets the waker that polled last.
    #[cfg(feature = "async")]
    pub(crate) fn drop_waker(&self) {
        let mut state = lock(&self.state);
        let waker = match &mut *state {
            polled @ OutcomeState::Polled(_) => {
                Some(core::mem::replace(polled, OutcomeState::Pending))
            }
            _ => None,
        };
        drop(state);
        // Outside the lock: it is the executor's code.
        discard(waker);
    }

    /// Blocks until there is a result and takes it.
    pub(crate) fn wait(&self) -> Result<R> {
        let mut state = lock(&self.state);
        if let Some(result) = state.take() {
            return result;
        }
        let older = core::mem::replace(&mut *state, OutcomeState::Blocking);
        drop(state);
        // Outside the lock: a waker is the executor's code.
        discard(older);
        let mut state = lock(&self.state);
        loop {
            if let Some(result) = state.take() {
                return result;
            }
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
        if matches!(*state, OutcomeState::Done(_) | OutcomeState::Taken) {
            return false;
        }
        let awaited = OutcomeState::Awaited(Waiter(NonNull::from(latch)));
        let older = core::mem::replace(&mut *state, awaited);
        drop(state);
        // Outside the lock: a waker is the executor's code.
        discard(older);
        true
    }

    pub(crate) fn is_finished(&self) -> bool {
        // Ordering: Acquire pairs with the Release store in `finish`.
        self.is_done.load(Ordering::Acquire)
    }

    /// The result, if there is one and it was not taken.
    pub(crate) fn into_result(self) -> Option<Result<R>> {
        into_inner(self.state).take()
    }
}
