use crate::asymmetric::Light;
use crate::state::FIRST_INDEX;
use crate::sync::{AtomicUsize, Ordering, fence};

/// A flag that asks an owner to publish its oldest item: raised by a thief that found nothing
/// public, and by a worker that is about to sleep.
///
/// The owner reads it at every push. The same word also tells when the ring is full and whether
/// items are to be fenced, so that a push needs one comparison. It is the index from which on a
/// push takes its slow path:
///
/// | value | meaning |
/// |---|---|
/// | 0 | raised |
/// | 1 | every item is to be fenced |
/// | other | the last index for which the ring has a slot |
///
/// Indices begin at one, so every push reaches the first two.
#[repr(C)]
pub struct Attention {
    pub(crate) push_limit: AtomicUsize,
    /// The value of `push_limit` when the flag is not raised. Written by the owner alone.
    unraised: AtomicUsize,
}

const RAISED: usize = 0;
const EVERY_PUSH: usize = FIRST_INDEX;

impl Attention {
    /// Not raised, with unlimited room.
    pub fn new() -> Self {
        Self::with_room_to(usize::MAX, Light::of_now())
    }

    /// Not raised, with slots up to index `limit`. If the owner's fence is not free, it passes it
    /// at every push.
    pub(crate) fn with_room_to(limit: usize, light: Light) -> Self {
        let limit = or_every_push(limit, light);
        Self {
            push_limit: AtomicUsize::new(limit),
            unraised: AtomicUsize::new(limit),
        }
    }

    /// Sets the last index for which the ring has a slot. Called by the owner.
    pub(crate) fn make_room(&self, limit: usize, light: Light) {
        self.set_unraised(or_every_push(limit, light));
    }

    /// Lets every push take its slow path until the next [`make_room`](Self::make_room).
    pub(crate) fn check_every_push(&self) {
        self.set_unraised(EVERY_PUSH);
    }

    fn set_unraised(&self, limit: usize) {
        // Ordering: only the owner writes `unraised`, and no other thread uses the room.
        let before = self.unraised.load(Ordering::Relaxed);
        self.unraised.store(limit, Ordering::Relaxed);
        // If the flag is raised, it stays raised.
        let (same, other) = (Ordering::Relaxed, Ordering::Relaxed);
        let _ = self.push_limit.compare_exchange(before, limit, same, other);
    }

    /// Whether the flag is raised.
    pub fn is_raised(&self) -> bool {
        self.push_limit.load(Ordering::Relaxed) == RAISED
    }

    /// Raises the flag, as a request that is repeated until it is served.
    pub fn raise(&self) {
        // Ordering: the owner that lowers the flag need not see what the caller did before.
        self.raise_for_sleep();
    }

    /// Raises the flag before a sleep that relies on it. The caller has passed a SeqCst fence since
    /// it did what the owner has to see.
    pub fn raise_for_sleep(&self) {
        // A flag that is raised already is not written, so that many threads that fall asleep do
        // not take its cache line from one another. If this load sees it raised, the owner lowers
        // it later, and sees what we did because its fence comes after ours.
        // Ordering: Release pairs with the exchange in `lower`. This is an exchange and not a
        // store, to continue the release sequence: if two threads raise the flag, the owner that
        // lowers it sees what both did before.
        if !self.is_raised() {
            self.push_limit.swap(RAISED, Ordering::Release);
        }
    }

    /// Lowers the flag. Called by the owner, which then sees what was done before any raise that
    /// this undoes.
    pub fn lower(&self) {
        // Ordering: only the owner writes `unraised`.
        let limit = self.unraised.load(Ordering::Relaxed);
        // Ordering: Acquire pairs with the exchange in `raise_for_sleep`.
        self.push_limit.swap(limit, Ordering::AcqRel);
        // Pairs with the fence that a thread passes before it finds the flag raised.
        fence(Ordering::SeqCst);
    }
}

impl Default for Attention {
    fn default() -> Self {
        Self::new()
    }
}

fn or_every_push(limit: usize, light: Light) -> usize {
    if light.is_free() { limit } else { EVERY_PUSH }
}
