use crate::sync::{Condvar, Mutex, lock};

/// How long a worker that falls asleep leaves it to others to notice. Most of those that a short section sends to sleep are
/// woken by the next one before that.
#[cfg(not(any(loom, shuttle)))]
const DOZE: std::time::Duration = std::time::Duration::from_millis(1);

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

    /// Parks for a moment; false if nobody has unparked it by then.
    pub(crate) fn doze(&self) -> bool {
        let mut unparked = lock(&self.unparked);
        // In a model, the moment is over at once.
        #[cfg(not(any(loom, shuttle)))]
        {
            let until = |unparked: &mut bool| !*unparked;
            unparked = match self.changed.wait_timeout_while(unparked, DOZE, until) {
                Ok((unparked, _)) => unparked,
                Err(poison) => poison.into_inner().0,
            };
        }
        core::mem::take(&mut *unparked)
    }

    pub(crate) fn unpark(&self) {
        // Notified under the lock: once it is free, the worker may go on and its pool may end.
        let mut unparked = lock(&self.unparked);
        *unparked = true;
        self.changed.notify_one();
    }
}
