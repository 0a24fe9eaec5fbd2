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
    push_limit: AtomicUsize,
    /// What the word is when nobody wants anything. Written by the owner alone.
    unraised: AtomicUsize,
}

const RAISED: usize = 0;
const EVERY_PUSH: usize = 1;

impl Attention {
    /// Nobody wants anything yet, and there is no end to the room.
    pub fn new() -> Self {
        Self::with_room_to(usize::MAX)
    }

    /// Nobody wants anything yet, and there is room up to `limit`.
    pub(crate) fn with_room_to(limit: usize) -> Self {
        let limit = or_every_push(limit);
        Self {
            push_limit: AtomicUsize::new(limit),
            unraised: AtomicUsize::new(limit),
        }
    }

    /// Whether an owner that has pushed up to `bottom` should look up.
    #[inline]
    pub(crate) fn is_reached_by(&self, bottom: usize) -> bool {
        // Ordering: settled by LIGHT and HEAVY; for a mere request nothing hangs on it.
        bottom >= self.push_limit.load(Ordering::Relaxed)
    }

    /// From now on there is room up to `limit`; said by the owner.
    pub(crate) fn make_room(&self, limit: usize) {
        self.set_unraised(or_every_push(limit));
    }

    /// From now on, the owner looks up after every push, until the next [`make_room`](Self::make_room).
    pub(crate) fn check_every_push(&self) {
        self.set_unraised(EVERY_PUSH);
    }

    fn set_unraised(&self, limit: usize) {
        // Ordering: only the owner writes `unraised`, and the room is nobody else's business.
        let before = self.unraised.load(Ordering::Relaxed);
        self.unraised.store(limit, Ordering::Relaxed);
        // If it is raised it stays so.
        let (same, other) = (Ordering::Relaxed, Ordering::Relaxed);
        let _ = self.push_limit.compare_exchange(before, limit, same, other);
    }

    /// Whether somebody wants something.
    pub fn is_raised(&self) -> bool {
        self.push_limit.load(Ordering::Relaxed) == RAISED
    }

    /// Somebody wants something.
    pub fn raise(&self) {
        // A request is made again and again, and should not take the line from its owner each time.
        // Ordering: whoever lowers the flag next need not see what the caller did before.
        if !self.is_raised() {
            self.raise_for_sleep();
        }
    }

    /// Somebody is about to sleep.
    pub fn raise_for_sleep(&self) {
        // Ordering: Release pairs with the exchange in `lower`. An exchange itself and not a store, so
        // that who lowers the flag also sees what was done before a raise that another followed.
        self.push_limit.swap(RAISED, Ordering::Release);
    }

    /// Nobody seems to want anything; said by the owner. What was done before a raise that this undoes
    /// is visible afterwards.
    pub fn lower(&self) {
        // Ordering: only the owner writes `unraised`.
        let limit = self.unraised.load(Ordering::Relaxed);
        // Ordering: Acquire pairs with the exchange in `raise_for_sleep`.
        self.push_limit.swap(limit, Ordering::AcqRel);
    }
}

impl Default for Attention {
    fn default() -> Self {
        Self::new()
    }
}

fn or_every_push(limit: usize) -> usize {
    if Light::settled().is_free() {
        limit
    } else {
        EVERY_PUSH
    }
}
