use crate::sync::{Condvar, Mutex, lock};

/// Where one worker sleeps. Each [`unpark`](Self::unpark) ends one [`park`](Self::park), whichever
/// comes first.
///
/// Not `std::thread::park`: a job may park its thread for its own reasons, and would take a wake-up
/// that is meant for the worker.
pub(crate) struct Parker {
    unparked: Mutex<bool>,
    changed: Condvar,
}

impl Parker {
    pub(crate) fn new() -> Self {
        Self {
            unparked: Mutex::new(false),
            changed: Condvar::new(),
        }
    }

    pub(crate) fn park(&self) {
        let mut unparked = lock(&self.unparked);
        while !*unparked {
            unparked = self
                .changed
                .wait(unparked)
                .unwrap_or_else(|poison| poison.into_inner());
        }
        *unparked = false;
    }

    pub(crate) fn unpark(&self) {
        // Notified under the lock: once it is free, the worker may go on and its pool may end.
        let mut unparked = lock(&self.unparked);
        *unparked = true;
        self.changed.notify_one();
    }
}
