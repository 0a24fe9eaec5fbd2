//! One-way signals: *pending* until *set*, and *asleep* in between if a worker sleeps on it.
#![allow(unsafe_code, reason = "a latch may be gone the moment it is set")]

use core::ptr::NonNull;

use crate::sleep::Parker;
use crate::sync::atomic::{AtomicUsize, Ordering, fence};
use crate::sync::{Mutex, lock, spin_loop};

/// What a worker waits for: the end of a stolen child, or of all children of a scope.
///
/// # Memory ordering
///
/// What was written before [`set`](Self::set) is visible to whoever sees [`is_set`](Self::is_set).
pub(crate) struct Latch {
    /// `PENDING`, `SET`, or the address of the parker of the worker that sleeps on the latch.
    state: AtomicUsize,
}

const PENDING: usize = 0;
const SET: usize = 1;

impl Latch {
    #[inline]
    pub(crate) fn new() -> Self {
        Self {
            state: AtomicUsize::new(PENDING),
        }
    }

    #[inline]
    pub(crate) fn is_set(&self) -> bool {
        // Ordering: Acquire pairs with the swap in `set`.
        self.state.load(Ordering::Acquire) == SET
    }

    /// [`is_set`](Self::is_set), after a moment.
    #[inline]
    pub(crate) fn is_set_after_spin(&self) -> bool {
        spin_loop();
        self.is_set()
    }

    /// Sets the latch and wakes who sleeps on it.
    ///
    /// # Safety
    ///
    /// `this` points to a latch that lives until it is set, and the parker of who falls asleep on it lives until it has been
    /// unparked. The latch itself may be gone as soon as others can see it set.
    pub(crate) unsafe fn set(this: NonNull<Self>) {
        // SAFETY: the latch is not set yet, so it lives.
        let state = unsafe { &this.as_ref().state };
        // Ordering: Release pairs with the Acquire load in `is_set`; Acquire pairs with the swap in
        // `fall_asleep`, so that the parker is seen whole.
        let before = state.swap(SET, Ordering::AcqRel);
        // SAFETY: `before` is not read again from the latch.
        unsafe { unpark(before) };
    }

    /// pending → asleep. False if the latch is set.
    #[must_use]
    pub(crate) fn fall_asleep(&self, parker: &Parker) -> bool {
        let address = NonNull::from(parker).as_ptr().expose_provenance();
        // Ordering: Release publishes the parker to `set` and `wake`.
        self.state
            .compare_exchange(PENDING, address, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }

    /// asleep → pending, by the sleeper itself. False if somebody else has ended the sleep: an
    /// unpark is on its way and has to be waited for.
    #[must_use]
    pub(crate) fn cancel_sleep(&self, parker: &Parker) -> bool {
        let address = NonNull::from(parker).as_ptr().expose_provenance();
        self.state
            .compare_exchange(address, PENDING, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }

    pub(crate) fn is_asleep(&self) -> bool {
        // Ordering: callers have passed a fence that pairs with the sleeper's.
        self.state.load(Ordering::Relaxed) > SET
    }

    /// asleep → pending, because there is something to do below the latch; wakes the sleeper.
    pub(crate) fn wake(&self) {
        // Pairs with the fence of who falls asleep: we see it asleep, or it sees what there is to do.
        fence(Ordering::SeqCst);
        let seen = self.state.load(Ordering::Acquire);
        // Ordering: as in `set`.
        let moved = seen > SET
            && self
                .state
                .compare_exchange(seen, PENDING, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok();
        if moved {
            // SAFETY: `seen` is the address of the parker of a worker of this pool, which is asleep.
            unsafe { unpark(seen) };
        }
    }
}

/// Unparks the worker whose parker's address a latch held, if it was one.
///
/// # Safety
///
/// `state` was the state of a latch, and the caller has moved the latch away from it.
unsafe fn unpark(state: usize) {
    if state > SET {
        let parker = core::ptr::with_exposed_provenance::<Parker>(state);
        // SAFETY: `fall_asleep` exposed the address of a parker, which lives until who sleeps there has been unparked.
        let waker = unsafe { (*parker).waker() };
        waker.wake();
    }
}

/// What a worker waits for, for others to wake it.
pub(crate) struct LatchRef {
    latch: NonNull<Latch>,
}

// SAFETY: a latch may be used by any thread; this one lives as long as it is entered in
// `PoolShared::calls` or in a `SleepSlot`, whose lock is held by whoever uses it.
unsafe impl Send for LatchRef {}

impl LatchRef {
    /// To be kept behind a lock, and to be taken away again before the latch goes.
    pub(crate) fn new(latch: &Latch) -> Self {
        Self {
            latch: NonNull::from(latch),
        }
    }

    pub(crate) fn is_for(&self, latch: &Latch) -> bool {
        self.latch == NonNull::from(latch)
    }

    /// Wakes the worker, if it sleeps.
    pub(crate) fn wake(&self) {
        // SAFETY: see above.
        unsafe { self.latch.as_ref() }.wake();
    }
}

/// Where a worker that sleeps while it waits is found by those who have something for it alone.
pub(crate) struct SleepSlot(Mutex<Option<LatchRef>>);

impl SleepSlot {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Lets others find that the worker sleeps on `latch`, while it does.
    pub(crate) fn while_asleep_on(&self, latch: &Latch, sleep: impl FnOnce()) {
        *lock(&self.0) = Some(LatchRef::new(latch));
        sleep();
        *lock(&self.0) = None;
    }

    /// Wakes the worker, if it is there. If it comes later, it sees what the caller did before.
    pub(crate) fn wake(&self) {
        if let Some(waiting) = &*lock(&self.0) {
            waiting.wake();
        }
    }
}

/// What a thread outside the pool waits for.
pub(crate) struct BlockingLatch {
    latch: Latch,
}

impl BlockingLatch {
    pub(crate) fn new() -> Self {
        Self {
            latch: Latch::new(),
        }
    }

    /// Looks at the latch until it is set or `linger` says no, and then blocks until it is set. For one thread, once.
    pub(crate) fn wait(&self, mut linger: impl FnMut() -> bool) {
        while !self.latch.is_set() {
            if !linger() {
                let parker = Parker::new();
                if self.latch.fall_asleep(&parker) {
                    parker.park();
                }
                return;
            }
        }
    }

    /// Sets the latch.
    ///
    /// # Safety
    ///
    /// `this` lives until others can see that it is set.
    pub(crate) unsafe fn set(this: NonNull<Self>) {
        // SAFETY: it is not set yet, so it lives.
        let latch = NonNull::from(unsafe { &this.as_ref().latch });
        // SAFETY: who sleeps on the latch keeps its parker until it has been unparked.
        unsafe { Latch::set(latch) };
    }
}
