use filch_deque::asymmetric::Light;

use crate::sync::atomic::{AtomicU8, Ordering};

/// A worker's flag: somebody looks for work in vain, or sleeps and might want what it forks next.
///
/// It is all that a fork looks at. Where LIGHT has to be a real fence, the flag is therefore always up,
/// so that a fork comes to [`Worker::attend`](crate::worker::Worker), where the fence is.
pub(crate) struct Attention {
    word: AtomicU8,
    /// What the word is when nobody wants anything.
    rest: u8,
}

const WANTED: u8 = 1;
const ALWAYS: u8 = 2;

impl Attention {
    pub(crate) fn new() -> Self {
        let rest = if Light::settled().is_free() {
            0
        } else {
            ALWAYS
        };
        Self {
            word: AtomicU8::new(rest),
            rest,
        }
    }

    /// Whether the worker should attend.
    #[inline]
    pub(crate) fn is_up(&self) -> bool {
        // Ordering: settled by LIGHT and HEAVY; for a mere request nothing hangs on it.
        self.word.load(Ordering::Relaxed) != 0
    }

    /// Whether somebody wants something.
    pub(crate) fn is_wanted(&self) -> bool {
        self.word.load(Ordering::Relaxed) & WANTED != 0
    }

    /// Somebody wants something.
    pub(crate) fn raise(&self) {
        // A request is made again and again, and should not take the line from its owner each time.
        // Ordering: whoever lowers the flag next need not see what the caller did before.
        if !self.is_wanted() {
            self.raise_for_sleep();
        }
    }

    /// Somebody is about to sleep.
    pub(crate) fn raise_for_sleep(&self) {
        // Ordering: Release pairs with the exchange in `lower`. An exchange itself and not a store, so
        // that who lowers the flag also sees what was done before a raise that another followed.
        self.word.swap(self.rest | WANTED, Ordering::Release);
    }

    /// Nobody seems to want anything. What was done before a raise that this undoes is visible
    /// afterwards.
    pub(crate) fn lower(&self) {
        // Ordering: Acquire pairs with the exchange in `raise_for_sleep`.
        self.word.swap(self.rest, Ordering::AcqRel);
    }
}
