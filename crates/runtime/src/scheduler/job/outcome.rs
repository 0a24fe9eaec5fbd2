use core::ptr::NonNull;
use std::thread::Result;

use super::{CrossLatch, Signal as _};
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Condvar, Mutex, lock};

/// What is left behind for the handle.
pub(super) struct Outcome<R> {
    state: Mutex<OutcomeState<R>>,
    done: Condvar,
    /// For those who only look.
    is_done: AtomicBool,
}

struct OutcomeState<R> {
    result: Option<Result<R>>,
    /// The worker that waits, if it is one.
    waiter: Option<Waiter>,
    /// Whether a thread blocks on `done`.
    blocks: bool,
}

struct Waiter(NonNull<CrossLatch>);

// SAFETY: a latch may be set by any thread; it lives until then.
unsafe impl Send for Waiter {}
impl<R> Outcome<R> {
    pub(super) fn new() -> Self {
        Self {
            state: Mutex::new(OutcomeState {
                result: None,
                waiter: None,
                blocks: false,
            }),
            done: Condvar::new(),
            is_done: AtomicBool::new(false),
        }
    }

    /// Leaves the result, and wakes the one who waits for it.
    pub(super) fn finish(&self, result: Result<R>) {
        let mut state = lock(&self.state);
        state.result = Some(result);
        // Ordering: Release pairs with the Acquire load in `is_finished`: who sees it sees what the job did.
        self.is_done.store(true, Ordering::Release);
        let (waiter, blocks) = (state.waiter.take(), state.blocks);
        drop(state);
        // A notification is a system call, whether or not anybody hears it.
        if blocks {
            self.done.notify_all();
        }
        if let Some(Waiter(latch)) = waiter {
            // SAFETY: `set_when_done` promised that the latch lives until it is set.
            unsafe { CrossLatch::signal(latch) };
        }
    }

    /// Blocks until there is a result, and takes it.
    pub(super) fn wait(&self) -> Result<R> {
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

    /// Lets `latch` be set when there is a result; false if there is.
    ///
    /// # Safety
    ///
    /// The caller waits for the latch before it lets it go.
    pub(super) unsafe fn set_when_done(&self, latch: &CrossLatch) -> bool {
        let mut state = lock(&self.state);
        if state.result.is_none() {
            state.waiter = Some(Waiter(NonNull::from(latch)));
        }
        state.result.is_none()
    }

    pub(super) fn is_finished(&self) -> bool {
        // Ordering: Acquire pairs with the Release store in `finish`.
        self.is_done.load(Ordering::Acquire)
    }

    /// The result, if nobody has taken it.
    pub(super) fn take(&self) -> Option<Result<R>> {
        lock(&self.state).result.take()
    }
}
