use core::mem::take;

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
}

struct FlagState {
    unparked: bool,
    /// Whether a thread sleeps here: a notification is a system call even if none does.
    asleep: bool,
}

impl Parker {
    pub(crate) fn new() -> Self {
        let (unparked, asleep) = (false, false);
        Self {
            flag: Arc::new(Flag {
                state: Mutex::new(FlagState { unparked, asleep }),
                changed: Condvar::new(),
            }),
        }
    }

    pub(crate) fn park(&self) {
        let mut state = lock(&self.flag.state);
        while !take(&mut state.unparked) {
            state.asleep = true;
            state = self
                .flag
                .changed
                .wait(state)
                .unwrap_or_else(|poison| poison.into_inner());
            state.asleep = false;
        }
    }

    /// A timed park, of a millisecond at most. False if it timed out.
    pub(crate) fn park_timeout(&self) -> bool {
        let mut state = lock(&self.flag.state);
        // In a model it times out at once.
        #[cfg(not(any(loom, shuttle)))]
        if !state.unparked {
            state.asleep = true;
            let changed = &self.flag.changed;
            state = match changed.wait_timeout_while(state, TIMED_PARK, |state| !state.unparked) {
                Ok((state, _)) => state,
                Err(poison) => poison.into_inner().0,
            };
            state.asleep = false;
        }
        take(&mut state.unparked)
    }

    pub(crate) fn unpark(&self) {
        self.waker().wake();
    }

    /// For a thread that may not use the parker itself once it is unparked.
    pub(crate) fn waker(&self) -> Waker {
        Waker(Arc::clone(&self.flag))
    }
}

/// Ends one [`park`](Parker::park).
pub(crate) struct Waker(Arc<Flag>);

impl Waker {
    pub(crate) fn wake(self) {
        let mut state = lock(&self.0.state);
        state.unparked = true;
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
#[cfg(not(any(loom, shuttle)))]
const TIMED_PARK: std::time::Duration = std::time::Duration::from_millis(1);
