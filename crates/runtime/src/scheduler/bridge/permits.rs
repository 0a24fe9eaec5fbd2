//! A fair semaphore for asynchronous tasks.

use core::task::{Poll, Waker};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::scheduler::job::discard;
use crate::sync::{Mutex, lock};

/// A bounded number of permits. Those that wait for one get it in the order in which they came.
pub(super) struct Permits {
    state: Mutex<State>,
}

struct State {
    free: usize,
    /// A waiter is in this queue until a permit is assigned to it, in the order of the numbers.
    /// While there are waiters, no permit is free.
    waiting: VecDeque<Waiter>,
    next: u64,
}

struct Waiter {
    number: u64,
    waker: Waker,
}

/// The place of one waiter: `None` before it first asked.
#[derive(Default)]
pub(super) struct Place(Option<u64>);

impl Permits {
    pub(super) fn new(number: usize) -> Self {
        Self {
            state: Mutex::new(State {
                free: number,
                waiting: VecDeque::new(),
                next: 0,
            }),
        }
    }

    /// Takes a permit if one is free.
    pub(super) fn try_take(&self) -> bool {
        let mut state = lock(&self.state);
        let is_free = state.free > 0;
        state.free -= usize::from(is_free);
        is_free
    }

    /// Takes a permit, or waits for one at `place`. Once this is ready, the place is as new.
    pub(super) fn poll(&self, place: &mut Place, waker: &Waker) -> Poll<()> {
        let mut state = lock(&self.state);
        let Some(number) = place.0 else {
            if state.free > 0 {
                state.free -= 1;
                return Poll::Ready(());
            }
            let number = state.next;
            state.next += 1;
            let waker = waker.clone();
            state.waiting.push_back(Waiter { number, waker });
            place.0 = Some(number);
            return Poll::Pending;
        };
        match state.find(number) {
            Some(at) => {
                let older = core::mem::replace(&mut state.waiting[at].waker, waker.clone());
                drop(state);
                // Outside the lock: it is the executor's code.
                drop(older);
                Poll::Pending
            }
            // The permit was assigned to this place.
            None => {
                place.0 = None;
                Poll::Ready(())
            }
        }
    }

    /// Gives the place up, and passes on the permit that was assigned to it meanwhile.
    pub(super) fn leave(&self, place: &mut Place) {
        let Some(number) = place.0.take() else {
            return;
        };
        let mut state = lock(&self.state);
        let left = state.find(number).and_then(|at| state.waiting.remove(at));
        drop(state);
        if left.is_none() {
            self.give_back();
        }
    }

    /// Assigns a permit to the first waiter, or makes it free.
    pub(super) fn give_back(&self) {
        let mut state = lock(&self.state);
        let first = state.waiting.pop_front();
        state.free += usize::from(first.is_none());
        drop(state);
        if let Some(first) = first {
            // The executor's code: a panic in it must not end the job that passes its permit on.
            discard(catch_unwind(AssertUnwindSafe(|| first.waker.wake())));
        }
    }

    /// How many are free.
    pub(super) fn free(&self) -> usize {
        lock(&self.state).free
    }
}

impl State {
    fn find(&self, number: u64) -> Option<usize> {
        let place = self
            .waiting
            .binary_search_by_key(&number, |waiter| waiter.number);
        place.ok()
    }
}
