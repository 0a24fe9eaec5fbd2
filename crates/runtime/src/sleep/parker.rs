use core::mem::take;

use crate::sync::{Arc, Condvar, Mutex, lock};

/// Where one thread at a time sleeps. Each [`unpark`](Self::unpark) ends one [`park`](Self::park), whichever
/// comes first.
///
/// Not `std::thread::park`: a job may park its thread for its own reasons, and would take a wake-up
/// that is meant for the worker, or the worker one that is meant for the job.
pub(crate) struct Parker {
    /// Lives as long as somebody wakes the sleeper, who may let go of the parker before that is over. So it is not notified
    /// under the lock: a thread that is woken on the processor of the one who wakes it would run into that lock, at the
    /// price of two more switches between them.
    flag: Arc<Flag>,
}

struct Flag {
    state: Mutex<FlagState>,
    changed: Condvar,
}

struct FlagState {
    unparked: bool,
    /// Whether somebody has to be woken: to notify nobody is a system call too.
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

    /// Parks for a moment; false if nobody has unparked it by then.
    pub(crate) fn park_timeout(&self) -> bool {
        let mut state = lock(&self.flag.state);
        // In a model, the moment is over at once.
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

    /// For those who may not use the parker itself once it has been unparked.
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
        // From here on, who sleeps may go on, and its parker end.
        drop(state);
        if asleep {
            self.0.changed.notify_one();
        }
    }
}

/// How long a worker waits to be woken before it interrupts the others, to be sure that it will be. Who is sent to
/// sleep by one short section is mostly woken by the next.
#[cfg(not(any(loom, shuttle)))]
const TIMED_PARK: std::time::Duration = std::time::Duration::from_millis(1);
