use core::cell::Cell;
use core::ptr::{self, NonNull};

use crate::asymmetric::Light;
use crate::attention::Attention;
use crate::mark;
use crate::padded::Padded;
use crate::ring::Ring;
use crate::sync::{AtomicBool, AtomicPtr, AtomicUsize, CAPACITY, Ordering, PATIENCE};
use crate::{Position, StealOutcome};

/// The words of the [protocol](crate#state). The owner's come first: small offsets make short
/// instructions.
#[repr(C)]
pub(crate) struct DequeState<T> {
    pub(crate) owner: Padded<OwnerSide<T>>,
    pub(crate) thieves: Padded<ThiefSide>,
}

/// What the owner uses at every push and take, the most frequent first.
#[repr(C)]
pub(crate) struct OwnerSide<T> {
    pub(crate) bottom: AtomicUsize,
    pub(crate) attention: Attention,
    /// The slots of the newest ring, and their number less one, for the owner alone.
    pub(crate) slots: Cell<NonNull<AtomicPtr<T>>>,
    pub(crate) mask: Cell<usize>,
    /// How many items were ever pushed.
    pub(crate) pushes: AtomicUsize,
    pub(crate) ring: AtomicPtr<Ring<T>>,
    /// The ring has room up to this index, as of the last time that the owner read `top`.
    pub(crate) room: Cell<usize>,
    pub(crate) light: Cell<Light>,
    /// How many pushes may still pass a real fence before a free one is worth its price.
    pub(crate) patience: Cell<usize>,
    /// How many of the next items are to be fenced.
    pub(crate) to_fence: Cell<usize>,
}

/// What thieves write, or read before they steal.
pub(crate) struct ThiefSide {
    pub(crate) top: AtomicUsize,
    pub(crate) public: AtomicUsize,
    pub(crate) forcing: AtomicBool,
    /// A forced steal made a system call, during which the owner did not move.
    pub(crate) was_costly: AtomicBool,
}

// SAFETY: the cells are used by the owner alone, of which there is one (see `Bottom`); the other
// fields are atomic. Pointers to `T` go from thread to thread, which `T: Sync` allows.
unsafe impl<T: Sync> Sync for DequeState<T> {}
// SAFETY: as above, and the thread that drops it has it alone.
unsafe impl<T: Sync> Send for DequeState<T> {}

impl<T> DequeState<T> {
    pub(crate) fn new() -> Self {
        const { assert!(mark::fits::<T>(), "items need an alignment of four") };
        let ring = Ring::allocate(CAPACITY, ptr::null_mut());
        // SAFETY: just allocated.
        let slots = unsafe { ring.as_ref() }.slots.as_ref();
        let light = Light::of_now();
        Self {
            owner: Padded(OwnerSide {
                bottom: AtomicUsize::new(0),
                attention: Attention::with_room_to(CAPACITY, light),
                slots: Cell::new(NonNull::from(slots).cast()),
                mask: Cell::new(CAPACITY - 1),
                pushes: AtomicUsize::new(0),
                ring: AtomicPtr::new(ring.as_ptr()),
                room: Cell::new(CAPACITY),
                light: Cell::new(light),
                patience: Cell::new(PATIENCE),
                to_fence: Cell::new(0),
            }),
            thieves: Padded(ThiefSide {
                top: AtomicUsize::new(0),
                public: AtomicUsize::new(0),
                forcing: AtomicBool::new(false),
                was_costly: AtomicBool::new(false),
            }),
        }
    }

    /// Takes the lock `forcing`, so that no other thief marks items. False if another thread holds
    /// it.
    pub(crate) fn begin_force(&self) -> bool {
        // Ordering: Acquire pairs with the Release store in `end_force`. A thief that held the lock
        // before has passed HEAVY or a fence; an owner that copies items sees that thief's mark;
        // and a thief sees the ring of an owner that held the lock before.
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

    /// Takes the item at `index`, if it is the oldest.
    pub(crate) fn win(&self, index: usize) -> bool {
        // Ordering: SeqCst puts all swaps into one order. It is also the Release that `make_room`
        // pairs with, and the Acquire for a winner that reads what an earlier one left. A failure
        // publishes nothing.
        let (success, failure) = (Ordering::SeqCst, Ordering::Relaxed);
        self.thieves
            .top
            .compare_exchange(index, index + 1, success, failure)
            .is_ok()
    }

    /// The slot of the item at `index`, for a thief. A value read there is valid only if the item
    /// is won afterwards: if the slot was overwritten, the swap fails.
    pub(crate) fn slot(&self, index: usize) -> &AtomicPtr<T> {
        // Ordering: Acquire pairs with the Release store in `grow`. The caller has seen the item
        // published, so the ring is at least as new as the item.
        let ring = self.owner.ring.load(Ordering::Acquire);
        // SAFETY: rings live as long as `self`.
        unsafe { &*ring }.slot(index)
    }

    /// Takes the item at `index`, which was read from its slot, if `condition` holds.
    pub(crate) fn win_if(
        &self,
        index: usize,
        item: *mut T,
        condition: impl FnOnce(Position) -> bool,
    ) -> StealOutcome<NonNull<T>> {
        if !condition(Position(index + 1)) {
            return StealOutcome::Refused;
        }
        if !self.win(index) {
            return StealOutcome::Lost;
        }
        // The swap succeeded, so the item was there and its slot held what was pushed.
        NonNull::new(mark::unmarked(item)).map_or(StealOutcome::Empty, StealOutcome::Got)
    }
}

impl<T> Drop for DequeState<T> {
    fn drop(&mut self) {
        // Ordering: the thread that drops the last end has synchronised with the others through
        // `Arc`.
        let mut ring = self.owner.ring.load(Ordering::Relaxed);
        while !ring.is_null() {
            // SAFETY: `ring` and every older ring came from `allocate`, each is in the chain once,
            // and no other thread is left to use it.
            let owned = unsafe { Box::from_raw(ring) };
            ring = owned.older;
        }
    }
}
