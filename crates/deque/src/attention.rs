use crate::asymmetric::Light;
use crate::sync::{AtomicUsize, Ordering};

/// A worker's flag: somebody looks for work in vain, or sleeps and might want what it pushes next.
///
/// The owner of a deque looks at it with every push. So that this one look serves two ends, the flag
/// is a number: how far the owner may push before it has to look whether there is room. Raised, it
/// is zero. Where items are to be fenced it is one otherwise, so that every push comes to the
/// place where that is done.
#[repr(C)]
pub struct Attention {
    word: AtomicUsize,
    /// What the word is when nobody wants anything. Written by the owner alone.
    rest: AtomicUsize,
}

const WANTED: usize = 0;
const ALWAYS: usize = 1;

impl Attention {
    /// Nobody wants anything yet, and there is no end to the room.
    pub fn new() -> Self {
        Self::up_to(usize::MAX)
    }

    /// Nobody wants anything yet, and there is room up to `limit`.
    pub(crate) fn up_to(limit: usize) -> Self {
        let rest = resting(limit);
        Self {
            word: AtomicUsize::new(rest),
            rest: AtomicUsize::new(rest),
        }
    }

    /// Whether an owner that has pushed up to `bottom` should look up.
    #[inline]
    pub(crate) fn is_up_at(&self, bottom: usize) -> bool {
        // Ordering: settled by LIGHT and HEAVY; for a mere request nothing hangs on it.
        bottom >= self.word.load(Ordering::Relaxed)
    }

    /// From now on there is room up to `limit`; said by the owner.
    pub(crate) fn make_room(&self, limit: usize) {
        self.rest_at(resting(limit));
    }

    /// From now on, the owner looks up after every push, until the next [`make_room`](Self::make_room).
    pub(crate) fn look_always(&self) {
        self.rest_at(ALWAYS);
    }

    fn rest_at(&self, rest: usize) {
        // Ordering: only the owner writes `rest`, and the room is nobody else's business.
        let before = self.rest.load(Ordering::Relaxed);
        self.rest.store(rest, Ordering::Relaxed);
        // If it is raised it stays so.
        let (same, other) = (Ordering::Relaxed, Ordering::Relaxed);
        let _ = self.word.compare_exchange(before, rest, same, other);
    }

    /// Whether somebody wants something.
    pub fn is_wanted(&self) -> bool {
        self.word.load(Ordering::Relaxed) == WANTED
    }

    /// Somebody wants something.
    pub fn raise(&self) {
        // A request is made again and again, and should not take the line from its owner each time.
        // Ordering: whoever lowers the flag next need not see what the caller did before.
        if !self.is_wanted() {
            self.raise_for_sleep();
        }
    }

    /// Somebody is about to sleep.
    pub fn raise_for_sleep(&self) {
        // Ordering: Release pairs with the exchange in `lower`. An exchange itself and not a store, so
        // that who lowers the flag also sees what was done before a raise that another followed.
        self.word.swap(WANTED, Ordering::Release);
    }

    /// Nobody seems to want anything; said by the owner. What was done before a raise that this undoes
    /// is visible afterwards.
    pub fn lower(&self) {
        // Ordering: only the owner writes `rest`.
        let rest = self.rest.load(Ordering::Relaxed);
        // Ordering: Acquire pairs with the exchange in `raise_for_sleep`.
        self.word.swap(rest, Ordering::AcqRel);
    }
}

impl Default for Attention {
    fn default() -> Self {
        Self::new()
    }
}

fn resting(limit: usize) -> usize {
    if Light::settled().is_free() {
        limit
    } else {
        ALWAYS
    }
}
