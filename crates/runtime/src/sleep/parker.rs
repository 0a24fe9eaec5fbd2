use core::mem::take;

use super::Tally;
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
    place: Arc<Place>,
}

struct Place {
    state: Mutex<State>,
    changed: Condvar,
    /// The pool whose thread sleeps here.
    tally: Option<Arc<Tally>>,
}

struct State {
    unparked: Option<Unparked>,
    /// Whether somebody has to be woken: to notify nobody is a system call too.
    asleep: bool,
}

impl Parker {
    /// Of a thread of the pool that `tally` counts, or of one that is in no pool.
    pub(crate) fn new(tally: Option<Arc<Tally>>) -> Self {
        let (unparked, asleep) = (None, false);
        Self {
            place: Arc::new(Place {
                state: Mutex::new(State { unparked, asleep }),
                changed: Condvar::new(),
                tally,
            }),
        }
    }

    pub(crate) fn park(&self) -> Unparked {
        let mut state = lock(&self.place.state);
        loop {
            if let Some(unparked) = take(&mut state.unparked) {
                return unparked;
            }
            state.asleep = true;
            state = self
                .place
                .changed
                .wait(state)
                .unwrap_or_else(|poison| poison.into_inner());
            state.asleep = false;
        }
    }

    /// Parks for a moment; `None` if it was not unparked by then.
    pub(crate) fn doze(&self) -> Option<Unparked> {
        let mut state = lock(&self.place.state);
        // In a model, the moment is over at once.
        #[cfg(not(any(loom, shuttle)))]
        if state.unparked.is_none() {
            state.asleep = true;
            let changed = &self.place.changed;
            state = match changed.wait_timeout_while(state, DOZE, |state| state.unparked.is_none()) {
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

    /// For those who may not use the parker itself once it has been unparked.
    pub(crate) fn waker(&self) -> Waker {
        Waker(Arc::clone(&self.place))
    }
}

/// Why a thread was unparked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Unparked {
    /// It was idle, or what it waited for has come.
    ToGoOn,
    /// There may be something to do below what it waits for. It is counted as one that searches, and
    /// has to say when it does so no more.
    ToSearch,
}

/// Ends one [`park`](Parker::park).
pub(crate) struct Waker(Arc<Place>);

impl Waker {
    /// Wakes a thread that sleeps while it waits: it is active from now on. The caller counts it, so that
    /// one that runs out of work next leaves its processor to it.
    pub(crate) fn wake_waiter(self, unparked: Unparked) {
        if let Some(tally) = &self.0.tally {
            match unparked {
                Unparked::ToGoOn => tally.unblock(),
                Unparked::ToSearch => tally.unblock_to_search(),
            }
        }
        self.wake(unparked);
    }

    fn wake(self, unparked: Unparked) {
        let mut state = lock(&self.0.state);
        state.unparked = Some(unparked);
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
const DOZE: std::time::Duration = std::time::Duration::from_millis(1);
