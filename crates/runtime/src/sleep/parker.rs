use core::mem::take;

use crate::sync::thread::{self, Thread};
use crate::sync::{Mutex, lock};

/// Where one thread at a time sleeps. Each [`unpark`](Self::unpark) ends one [`park`](Self::park), whichever
/// comes first.
///
/// It is more than `std::thread::park`, on which it rests: a job may park its thread for its own reasons, and would take a wake-up
/// that is meant for the worker. And it is no condition variable, which would have to be notified under the lock, because
/// who waits may go on, and its pool end, as soon as the lock is free: whoever is woken on the processor of
/// the one that wakes it would run into that lock, at the price of two more switches between them.
pub(crate) struct Parker {
    state: Mutex<State>,
}

struct State {
    unparked: bool,
    /// Who sleeps.
    thread: Option<Thread>,
}

/// What one nap has come to.
enum Nap {
    Woken,
    Over,
}

impl Parker {
    pub(crate) fn new() -> Self {
        let (unparked, thread) = (false, None);
        Self {
            state: Mutex::new(State { unparked, thread }),
        }
    }

    pub(crate) fn park(&self) {
        self.nap(|| {
            thread::park();
            Nap::Woken
        });
    }

    /// Parks for a moment; false if nobody has unparked it by then.
    pub(crate) fn doze(&self) -> bool {
        // In a model, the moment is over at once.
        #[cfg(any(loom, shuttle))]
        let nap = || Nap::Over;
        #[cfg(not(any(loom, shuttle)))]
        let nap = for_a_moment();
        self.nap(nap)
    }

    fn nap(&self, mut nap: impl FnMut() -> Nap) -> bool {
        let mut by_others = false;
        let mut state = lock(&self.state);
        let unparked = loop {
            if take(&mut state.unparked) {
                break true;
            }
            state.thread = Some(thread::current());
            drop(state);
            let nap = nap();
            state = lock(&self.state);
            state.thread = None;
            match nap {
                Nap::Over => break take(&mut state.unparked),
                Nap::Woken => by_others |= !state.unparked,
            }
        };
        drop(state);
        if by_others {
            // It was for a `std::thread::park` to come, of a job or of the caller of a pool.
            thread::current().unpark();
        }
        unparked
    }

    pub(crate) fn unpark(&self) {
        let mut state = lock(&self.state);
        state.unparked = true;
        let thread = state.thread.take();
        // From here on, who sleeps may go on, and its pool may end.
        drop(state);
        if let Some(thread) = thread {
            thread.unpark();
        }
    }
}

/// As long as a worker waits to be woken before it interrupts the others to be sure that it will be. Who is sent to
/// sleep by one short section is mostly woken by the next.
#[cfg(not(any(loom, shuttle)))]
fn for_a_moment() -> impl FnMut() -> Nap {
    use std::time::{Duration, Instant};

    let end = Instant::now() + Duration::from_millis(1);
    move || {
        thread::park_timeout(end.saturating_duration_since(Instant::now()));
        if Instant::now() < end {
            Nap::Woken
        } else {
            Nap::Over
        }
    }
}
