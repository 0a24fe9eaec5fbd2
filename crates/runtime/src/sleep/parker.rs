use core::mem::take;
use std::time::Duration;

use super::Tally;
use crate::sync::{Arc, Condvar, Mutex, lock};

/// Where one thread at a time sleeps. Each [`unpark`](Self::unpark) ends one [`park`](Self::park),
/// whichever comes first.
///
/// This is not `std::thread::park`: a job may park its thread for its own reasons. It could consume
/// an unpark that is meant for the worker, or the worker one that is meant for the job.
pub(crate) struct Parker {
    /// Shared with a waking thread, since the sleeper may drop the parker before the wake-up is
    /// complete. So the notification happens outside the lock. Under the lock, a sleeper that is
    /// scheduled on the waking thread's processor would block on the lock at once, which costs two
    /// more context switches.
    flag: Arc<Flag>,
}

struct Flag {
    state: Mutex<FlagState>,
    changed: Condvar,
    /// The tally of the pool to which the sleeping thread belongs.
    tally: Option<Arc<Tally>>,
}

struct FlagState {
    unparked: Option<Unparked>,
    /// Whether a thread sleeps here: a notification is a system call even if none does.
    asleep: bool,
}

impl Parker {
    /// The parker of a thread that `tally` counts, or of a thread outside every pool.
    pub(crate) fn new(tally: Option<Arc<Tally>>) -> Self {
        let (unparked, asleep) = (None, false);
        Self {
            flag: Arc::new(Flag {
                state: Mutex::new(FlagState { unparked, asleep }),
                changed: Condvar::new(),
                tally,
            }),
        }
    }

    /// The parker of the current thread, which is outside every pool. Nothing is allocated after
    /// its first use.
    #[cfg(not(any(loom, shuttle)))]
    pub(crate) fn of_this_thread() -> Self {
        std::thread_local! {
            static PARKER: Parker = Parker::new(None);
        }
        let flag = PARKER.try_with(|parker| Arc::clone(&parker.flag));
        // The values of a thread that ends may be gone already.
        flag.map_or_else(|_| Self::new(None), |flag| Self { flag })
    }

    /// In a model, a new one each time.
    #[cfg(any(loom, shuttle))]
    pub(crate) fn of_this_thread() -> Self {
        Self::new(None)
    }

    pub(crate) fn park(&self) -> Unparked {
        let mut state = lock(&self.flag.state);
        loop {
            if let Some(reason) = take(&mut state.unparked) {
                return reason;
            }
            state.asleep = true;
            state = self
                .flag
                .changed
                .wait(state)
                .unwrap_or_else(|poison| poison.into_inner());
            state.asleep = false;
        }
    }

    /// A timed park, which lasts no longer than `time`. `None` if it timed out.
    pub(crate) fn park_timeout(&self, time: Duration) -> Option<Unparked> {
        let mut state = lock(&self.flag.state);
        // In a model it times out at once.
        #[cfg(any(loom, shuttle))]
        let _ = time;
        #[cfg(not(any(loom, shuttle)))]
        if state.unparked.is_none() {
            state.asleep = true;
            let changed = &self.flag.changed;
            let is_parked = |state: &mut FlagState| state.unparked.is_none();
            state = match changed.wait_timeout_while(state, time, is_parked) {
                Ok((state, _)) => state,
                Err(poison) => poison.into_inner().0,
            };
            state.asleep = false;
        }
        take(&mut state.unparked)
    }

    pub(crate) fn unpark(&self) {
        self.waker().wake(Unparked::ToGoOn);
    }

    /// For a thread that may not use the parker itself once it is unparked.
    pub(crate) fn waker(&self) -> Waker {
        Waker(Arc::clone(&self.flag))
    }
}

/// Why a thread was unparked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Unparked {
    /// It was idle, or its latch was set.
    ToGoOn,
    /// There may be work below its latch. It is counted as a searcher until it ends its search.
    ToSearch,
}

/// Ends one [`park`](Parker::park).
pub(crate) struct Waker(Arc<Flag>);

impl Waker {
    /// Wakes a waiter, which is active from now on. The waking thread counts it, so that the next
    /// thread without work, often the waking one, sleeps in its stead.
    pub(crate) fn wake_waiter(self, reason: Unparked) {
        if let Some(tally) = &self.0.tally {
            match reason {
                Unparked::ToGoOn => tally.unblock(),
                Unparked::ToSearch => tally.unblock_to_search(),
            }
        }
        self.wake(reason);
    }

    fn wake(self, reason: Unparked) {
        let mut state = lock(&self.0.state);
        state.unparked = Some(reason);
        let asleep = state.asleep;
        // From here on the sleeper may go on and drop its parker.
        drop(state);
        if asleep {
            self.0.changed.notify_one();
        }
    }
}

/// How long a worker waits for a wake-up before it issues HEAVY, which interrupts the other
/// workers. A worker that fell asleep after one short parallel section is mostly woken by the next.
pub(crate) const TIMED_PARK: Duration = Duration::from_millis(1);
