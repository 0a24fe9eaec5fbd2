use core::cell::Cell;
use core::ptr::{self, NonNull};

use crate::asymmetric::Light;
use crate::attention::Attention;
use crate::padded::Padded;
use crate::ring::Ring;
use crate::sync::{
    AtomicBool, AtomicPtr, AtomicUsize, CAPACITY, FENCES_BEFORE_REGISTERING, Ordering,
};
use crate::{Position, StealOutcome};

/// The words of the [protocol](crate#state). The owner's come first: small offsets make short
/// instructions.
#[repr(C)]
pub(crate) struct DequeState<T> {
    pub(crate) owner: Padded<OwnerSide<T>>,
    pub(crate) thieves: Padded<ThiefSide>,
}

/// What the owner uses at every fork and take, the most frequent first.
#[repr(C)]
pub(crate) struct OwnerSide<T> {
    pub(crate) bottom: AtomicUsize,
    /// Where the slot of item zero would be in the newest ring, for the owner alone.
    pub(crate) base: Cell<*const AtomicPtr<T>>,
    pub(crate) guard: AtomicUsize,
    /// How many items were ever pushed.
    pub(crate) pushes: AtomicUsize,
    /// No take that finds its item unguarded lowers `bottom` below this.
    pub(crate) floor: Cell<usize>,
    pub(crate) ring: AtomicPtr<Ring<T>>,
    /// The last index for which the ring has a slot, as of the last time that the owner made room.
    pub(crate) last: Cell<usize>,
    pub(crate) light: Cell<Light>,
    /// How many pushes may still pass a real fence before a free one is worth its price.
    pub(crate) fences_left: Cell<usize>,
    /// Whether items are being fenced, and how many of the next ones still are to be.
    pub(crate) to_fence: Cell<Option<usize>>,
    /// The ring before the newest, if both have the same size.
    pub(crate) spare: Cell<Option<NonNull<Ring<T>>>>,
    /// The ring that was allocated last, which leads to all others.
    pub(crate) rings: Cell<NonNull<Ring<T>>>,
    /// Apart from the words that the owner writes at every fork: all threads that search or fall
    /// asleep read it, and mostly find it as they want it.
    pub(crate) attention: Padded<Attention>,
}

/// What thieves write, or read before they steal.
pub(crate) struct ThiefSide {
    pub(crate) top: AtomicUsize,
    pub(crate) public: AtomicUsize,
    pub(crate) forcing: AtomicBool,
    /// A forced steal made a system call, during which the owner did not move.
    pub(crate) was_costly: AtomicBool,
}

/// The index of the first item: not zero, so that every index reaches the values of
/// [`Attention`] that mean a slow path.
pub(crate) const FIRST_INDEX: usize = 1;

/// The guard of a deque whose owner passes a fence in every take.
pub(crate) const EVERY_TAKE: usize = usize::MAX;

// SAFETY: the cells are used by the owner alone, of which there is one (see `Bottom`); the other
// fields are atomic. Pointers to `T` go from thread to thread, which `T: Sync` allows.
unsafe impl<T: Sync> Sync for DequeState<T> {}
// SAFETY: as above, and the thread that drops it has it alone.
unsafe impl<T: Sync> Send for DequeState<T> {}

impl<T> DequeState<T> {
    pub(crate) fn new() -> Self {
        let ring = Ring::allocate(CAPACITY, ptr::null_mut());
        // SAFETY: just allocated.
        let base = unsafe { ring.as_ref() }.begin_at(FIRST_INDEX);
        let last = FIRST_INDEX + CAPACITY - 1;
        let light = Light::of_now();
        Self {
            owner: Padded(OwnerSide {
                bottom: AtomicUsize::new(FIRST_INDEX),
                base: Cell::new(base),
                guard: AtomicUsize::new(if light.is_free() { 0 } else { EVERY_TAKE }),
                pushes: AtomicUsize::new(0),
                floor: Cell::new(FIRST_INDEX),
                ring: AtomicPtr::new(ring.as_ptr()),
                last: Cell::new(last),
                light: Cell::new(light),
                fences_left: Cell::new(FENCES_BEFORE_REGISTERING),
                to_fence: Cell::new(None),
                spare: Cell::new(None),
                rings: Cell::new(ring),
                attention: Padded(Attention::with_room_to(last, light)),
            }),
            thieves: Padded(ThiefSide {
                top: AtomicUsize::new(FIRST_INDEX),
                public: AtomicUsize::new(0),
                forcing: AtomicBool::new(false),
                was_costly: AtomicBool::new(false),
            }),
        }
    }

    /// Takes the lock `forcing`: no other thief forces a steal, and the owner does not lower
    /// `guard`. False if another thread holds it.
    pub(crate) fn begin_force(&self) -> bool {
        // Ordering: Acquire pairs with the Release store in `end_force`. A thief that held the lock
        // before has passed HEAVY or a fence, and an owner that held it has lowered `guard`.
        let (success, failure) = (Ordering::Acquire, Ordering::Relaxed);
        let begun = self
            .thieves
            .forcing
            .compare_exchange(false, true, success, failure);
        begun.is_ok()
    }

    pub(crate) fn end_force(&self) {
        self.thieves.forcing.store(false, Ordering::Release);
    }

    /// Lets the takes of all items below `index` come to `settle`.
    pub(crate) fn guard_below(&self, index: usize) {
        // Ordering: Release pairs with the Acquire load in `force_exclusively`: a thief that finds
        // an item guarded by its owner sees what the owner did before.
        self.owner.guard.fetch_max(index, Ordering::Release);
    }

    /// Takes the item at `index`, if it is the oldest.
    pub(crate) fn win(&self, index: usize) -> bool {
        // Ordering: SeqCst puts all swaps into one order. It is also the Release of a thief that
        // has read the slot, and the Acquire for a winner that reads what an earlier one left. The
        // owner overwrites the slot after a failure: Acquire pairs with that Release.
        let (success, failure) = (Ordering::SeqCst, Ordering::Acquire);
        self.thieves
            .top
            .compare_exchange(index, index + 1, success, failure)
            .is_ok()
    }

    /// The item at `index`, for a thief that has seen it published or counted. It is valid only if
    /// it is won afterwards: if the slot was overwritten, the swap fails.
    pub(crate) fn read(&self, index: usize) -> Option<NonNull<T>> {
        // Ordering: Acquire pairs with the Release store in `relocate`. The caller has seen the
        // item published, so the ring is at least as new as the item.
        let ring = self.owner.ring.load(Ordering::Acquire);
        // SAFETY: rings live as long as `self`.
        let slot = unsafe { &*ring }.slot(index)?;
        // Ordering: published together with the item.
        NonNull::new(slot.load(Ordering::Relaxed))
    }

    /// Takes the item at `index`, which the caller has seen published or counted, if `condition`
    /// holds.
    pub(crate) fn win_if(
        &self,
        index: usize,
        condition: impl FnOnce(Position) -> bool,
    ) -> StealOutcome<NonNull<T>> {
        let Some(item) = self.read(index) else {
            return StealOutcome::Lost;
        };
        if !condition(Position(index + 1)) {
            return StealOutcome::Refused;
        }
        if !self.win(index) {
            return StealOutcome::Lost;
        }
        StealOutcome::Got(item)
    }
}

impl<T> Drop for DequeState<T> {
    fn drop(&mut self) {
        let mut ring = self.owner.rings.get().as_ptr();
        while !ring.is_null() {
            // SAFETY: `ring` and every older ring came from `allocate`, each is in the chain once,
            // and no other thread is left to use it: the thread that drops the last end has
            // synchronised with the others through `Arc`.
            let owned = unsafe { Box::from_raw(ring) };
            ring = owned.older;
        }
    }
}
