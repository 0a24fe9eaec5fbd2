//! Latches: one-way signals that are *pending* until they are *set*, and *asleep* in between while
//! a worker sleeps on them.
#![allow(unsafe_code, reason = "a latch may be gone the moment it is set")]

use core::ptr::{self, NonNull};

use crate::sleep::{Parker, Unparked};
use crate::sync::atomic::{AtomicPtr, Ordering, fence};
use crate::sync::{Mutex, lock, spin_loop};

/// What a worker waits for: the end of a stolen child, or of all children of a scope.
///
/// # Memory ordering
///
/// What was written before [`set`](Self::set) is visible to a thread for which
/// [`is_set`](Self::is_set) is true.
pub(crate) struct Latch {
    /// `PENDING`, `SET`, or the parker of the worker that sleeps on the latch.
    state: AtomicPtr<Parker>,
}

const PENDING: *mut Parker = ptr::null_mut();
const SET: *mut Parker = ptr::without_provenance_mut(1);

/// Whether this state of a latch is a parker.
fn is_parker(state: *mut Parker) -> bool {
    state != PENDING && state != SET
}

impl Latch {
    #[inline]
    pub(crate) fn new() -> Self {
        Self {
            state: AtomicPtr::new(PENDING),
        }
    }

    #[inline]
    pub(crate) fn is_set(&self) -> bool {
        // Ordering: Acquire pairs with the swap in `set`.
        self.state.load(Ordering::Acquire) == SET
    }

    /// [`is_set`](Self::is_set), after one spin.
    #[inline]
    pub(crate) fn is_set_after_spin(&self) -> bool {
        spin_loop();
        self.is_set()
    }

    /// Sets the latch and wakes the worker that sleeps on it.
    ///
    /// # Safety
    ///
    /// `this` points to a latch that lives until it is set, and the parker of a worker that falls
    /// asleep on it lives until it was unparked. The latch itself may be freed as soon as other
    /// threads can see it set.
    pub(crate) unsafe fn set(this: NonNull<Self>) {
        // SAFETY: the latch is not set yet, so it lives.
        let state = unsafe { &this.as_ref().state };
        // Ordering: Release pairs with the Acquire load in `is_set`. Acquire pairs with the
        // exchange in `fall_asleep`, so that the parker is seen whole.
        let before = state.swap(SET, Ordering::AcqRel);
        // SAFETY: `before` was the state, and we have moved the latch away from it.
        unsafe { unpark(before, Unparked::ToGoOn) };
    }

    /// pending → asleep. False if the latch is set.
    #[must_use]
    pub(crate) fn fall_asleep(&self, parker: &Parker) -> bool {
        let parker = ptr::from_ref(parker).cast_mut();
        // Ordering: Release publishes the parker to `set` and `wake`.
        self.state
            .compare_exchange(PENDING, parker, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }

    /// asleep → pending, by the sleeper itself. False if another thread has ended the sleep: its
    /// unpark is on its way and must be consumed.
    #[must_use]
    pub(crate) fn cancel_sleep(&self, parker: &Parker) -> bool {
        let parker = ptr::from_ref(parker).cast_mut();
        self.state
            .compare_exchange(parker, PENDING, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }

    pub(crate) fn is_asleep(&self) -> bool {
        // Ordering: callers have passed a fence that pairs with the sleeper's.
        is_parker(self.state.load(Ordering::Relaxed))
    }

    /// asleep → pending, because there may be work below the latch. Wakes the sleeper. False if the
    /// latch was not asleep.
    pub(crate) fn wake(&self) -> bool {
        // Pairs with the sleeper's fence: we see the latch asleep, or the sleeper sees the work.
        fence(Ordering::SeqCst);
        let seen = self.state.load(Ordering::Acquire);
        // Ordering: as in `set`.
        let moved = is_parker(seen)
            && self
                .state
                .compare_exchange(seen, PENDING, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok();
        if moved {
            // SAFETY: `seen` is the parker of a worker that is asleep, and we have moved the latch
            // away from it.
            unsafe { unpark(seen, Unparked::ToSearch) };
        }
        moved
    }
}

/// Unparks the worker whose parker was the state of a latch, if it was one.
///
/// # Safety
///
/// `state` was the state of a latch, and the caller has moved the latch away from it.
unsafe fn unpark(state: *mut Parker, reason: Unparked) {
    if is_parker(state) {
        // SAFETY: `fall_asleep` put the parker there, which lives until it was unparked.
        let waker = unsafe { (*state).waker() };
        waker.wake_waiter(reason);
    }
}

/// The latch for which a worker waits, for other threads that wake it.
pub(crate) struct LatchRef {
    latch: NonNull<Latch>,
}

// SAFETY: any thread may use a latch. This one lives as long as it is in `PoolShared::calls` or in
// a `SleepSlot`, and is used only under the lock of these.
unsafe impl Send for LatchRef {}

impl LatchRef {
    /// To be kept under a lock, and to be removed before the latch is freed.
    pub(crate) fn new(latch: &Latch) -> Self {
        Self {
            latch: NonNull::from(latch),
        }
    }

    pub(crate) fn is_for(&self, latch: &Latch) -> bool {
        self.latch == NonNull::from(latch)
    }

    /// Wakes the worker, if it sleeps. Whether it did.
    pub(crate) fn wake(&self) -> bool {
        // SAFETY: see above.
        unsafe { self.latch.as_ref() }.wake()
    }
}

/// The latch on which a waiting worker sleeps, for threads that have a job for this worker alone.
pub(crate) struct SleepSlot(Mutex<Option<LatchRef>>);

impl SleepSlot {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Holds `latch` while `sleep` runs.
    pub(crate) fn while_asleep_on<R>(&self, latch: &Latch, sleep: impl FnOnce() -> R) -> R {
        *lock(&self.0) = Some(LatchRef::new(latch));
        let result = sleep();
        *lock(&self.0) = None;
        result
    }

    /// Wakes the worker, if it sleeps. Whether it did: if it falls asleep later, it sees what the
    /// caller did before.
    pub(crate) fn wake(&self) -> bool {
        lock(&self.0).as_ref().is_some_and(LatchRef::wake)
    }
}

/// What a thread that is no worker waits for.
pub(crate) struct BlockingLatch {
    latch: Latch,
}

impl BlockingLatch {
    pub(crate) fn new() -> Self {
        Self {
            latch: Latch::new(),
        }
    }

    /// Spins on the latch until it is set or `may_spin` returns false, and then blocks until it is
    /// set. To be called by one thread, once.
    pub(crate) fn wait(&self, mut may_spin: impl FnMut() -> bool) {
        while !self.latch.is_set() {
            if !may_spin() {
                let parker = Parker::of_this_thread();
                if self.latch.fall_asleep(&parker) {
                    let _ = parker.park();
                }
                return;
            }
        }
    }

    /// Sets the latch.
    ///
    /// # Safety
    ///
    /// `this` lives until other threads can see that it is set.
    pub(crate) unsafe fn set(this: NonNull<Self>) {
        // SAFETY: the latch is not set yet, so it lives.
        let latch = NonNull::from(unsafe { &this.as_ref().latch });
        // SAFETY: the sleeper keeps its parker until it was unparked.
        unsafe { Latch::set(latch) };
    }
}
