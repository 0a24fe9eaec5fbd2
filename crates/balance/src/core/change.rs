use std::hash::Hash;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Waker;

use filch_relay::Apply;

use super::alone::Alone;
use super::{Core, LeaseEnd, Sent};

/// What a thread tells the dispatcher without waiting for an answer.
#[derive(Debug)]
pub(crate) enum Change {
    /// A request has ended.
    End { sent: Sent, end: LeaseEnd, now: u64 },
    /// A request was sent.
    Alone(Alone),
}

impl<K: Eq + Hash> Apply for Core<K> {
    type Change = Change;
    type Effect = Waker;

    #[inline]
    fn apply(&mut self, change: Change) -> Option<Waker> {
        match change {
            Change::End { sent, end, now } => self.finish(&sent, end, now),
            Change::Alone(sent) => {
                self.count_alone(sent);
                None
            }
        }
    }

    /// A waker may run the waiter at once, so no thread wakes one while it has the dispatcher.
    ///
    /// The waiter may be any thread's. If its waker panics, that is not a panic of this thread,
    /// which may have a lease in its hands; the hook for panics has told of it.
    fn run(waker: Waker) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| waker.wake())) {
            mem::forget(payload); // to drop it may panic
        }
    }
}
