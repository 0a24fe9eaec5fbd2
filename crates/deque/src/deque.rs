use core::cell::Cell;
use core::fmt;
use core::marker::PhantomData;
use core::ptr::{self, NonNull};

use crate::asymmetric::{Light, heavy};
use crate::padded::Padded;
use crate::sync::{Arc, AtomicBool, AtomicPtr, AtomicUsize, CAPACITY, Ordering, compiler_fence};

/// A new deque of pointers: the end for its owner, and the end for thieves, which may be cloned.
///
/// The deque moves pointers about and never looks at what they point to; whoever gets one out of it
/// has it alone.
pub fn deque<T: Sync>() -> (Owner<T>, Thief<T>) {
    let light = Light::settled();
    let first = Buffer::allocate(CAPACITY, ptr::null_mut());
    let shared = Arc::new(Shared {
        thieves: Padded(ForThieves {
            top: AtomicUsize::new(0),
            public: AtomicUsize::new(0),
            forcing: AtomicBool::new(false),
        }),
        owners: Padded(ForOwner {
            bottom: AtomicUsize::new(0),
            guard: AtomicUsize::new(if light.is_free() { 0 } else { usize::MAX }),
            real_guard: AtomicUsize::new(0),
            buffer: AtomicPtr::new(first.as_ptr()),
        }),
    });
    let owner = Owner {
        shared: Arc::clone(&shared),
        buffer: Cell::new(first),
        slots: Cell::new(NonNull::dangling()),
        mask: Cell::new(0),
        limit: Cell::new(CAPACITY),
        light,
        items: PhantomData,
    };
    owner.use_buffer(first);
    (owner, Thief { shared })
}

/// The words of the [protocol](crate#state).
struct Shared<T> {
    thieves: Padded<ForThieves>,
    owners: Padded<ForOwner<T>>,
}

/// What thieves write or look at when they come by.
struct ForThieves {
    top: AtomicUsize,
    public: AtomicUsize,
    forcing: AtomicBool,
}

/// What the owner uses with every push and take.
struct ForOwner<T> {
    bottom: AtomicUsize,
    guard: AtomicUsize,
    /// Where LIGHT has to be a real fence, `guard` is always up, so that `take` comes to the place
    /// where the fence is, and this is the guard. Otherwise it is not used: `take` then has nothing to
    /// ask but the one word.
    real_guard: AtomicUsize,
    buffer: AtomicPtr<Buffer<T>>,
}

/// A ring of slots.
struct Buffer<T> {
    mask: usize,
    slots: Box<[AtomicPtr<T>]>,
    /// The ring that this one replaced. A thief may still read from it.
    older: *mut Buffer<T>,
}

impl<T> Buffer<T> {
    fn allocate(capacity: usize, older: *mut Self) -> NonNull<Self> {
        debug_assert!(capacity.is_power_of_two());
        let slots = (0..capacity)
            .map(|_| AtomicPtr::new(ptr::null_mut()))
            .collect();
        NonNull::from(Box::leak(Box::new(Self {
            mask: capacity - 1,
            slots,
            older,
        })))
    }

    #[inline]
    fn slot(&self, index: usize) -> &AtomicPtr<T> {
        // SAFETY: there are mask + 1 slots, and `& mask` is at most mask.
        unsafe { self.slots.get_unchecked(index & self.mask) }
    }
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        // Ordering: whoever drops the last end has synchronised with the others through `Arc`.
        let mut buffer = self.owners.buffer.load(Ordering::Relaxed);
        while !buffer.is_null() {
            // SAFETY: `buffer` and everything older came from `allocate`, each is in the chain
            // once, and nobody else is left to use it.
            let owned = unsafe { Box::from_raw(buffer) };
            buffer = owned.older;
        }
    }
}

/// The end of the deque at which its owner works. It can be sent to another thread but not shared.
pub struct Owner<T> {
    shared: Arc<Shared<T>>,
    /// The newest buffer, and its parts, known to the owner without looking.
    buffer: Cell<NonNull<Buffer<T>>>,
    slots: Cell<NonNull<AtomicPtr<T>>>,
    mask: Cell<usize>,
    /// `bottom` may grow up to here before somebody has to look whether there is room.
    limit: Cell<usize>,
    light: Light,
    items: PhantomData<*const T>,
}

// SAFETY: an owner gives out pointers to `T` that other threads have pushed or may have taken, which
// `T: Sync` allows; its own cells move with it.
unsafe impl<T: Sync> Send for Owner<T> {}

/// The end of the deque at which thieves work.
pub struct Thief<T> {
    shared: Arc<Shared<T>>,
}

// SAFETY: a thief gives out pointers to `T` from another thread, which `T: Sync` allows. The buffers
// are only read through it, and freed when all ends are gone.
unsafe impl<T: Sync> Send for Thief<T> {}
// SAFETY: as above; all methods take `&self` and use atomic operations alone.
unsafe impl<T: Sync> Sync for Thief<T> {}

impl<T> Clone for Thief<T> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
        }
    }
}

/// Where an item lies: one past its index, which is what `bottom` was when it had just been pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(usize);

impl Place {
    /// A number to keep in an atomic: places compare as their numbers do.
    pub fn number(self) -> usize {
        self.0
    }
}

/// What became of an item that its owner wants back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Take {
    /// It is the owner's again.
    Mine,
    /// A thief has it, and everything older.
    Stolen,
    /// Newer items lie above it; pop them first.
    Covered,
}

/// What came of an attempt to steal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Steal<P> {
    /// There was nothing.
    Empty,
    /// There is something, but its owner has not published it.
    Hidden,
    /// Somebody else was faster. Another attempt may succeed.
    Lost,
    /// The condition did not hold.
    Refused,
    /// The oldest item.
    Got(P),
}

impl<T: Sync> Owner<T> {
    /// Puts an item at the bottom, where it is hidden but can be stolen by force. Returns its place,
    /// for [`take`](Self::take).
    #[inline]
    pub fn push(&self, item: NonNull<T>) -> Place {
        let owners = &self.shared.owners;
        // Ordering: only the owner writes `bottom`.
        let bottom = owners.bottom.load(Ordering::Relaxed);
        if bottom == self.limit.get() {
            self.make_room(bottom);
        }
        // Ordering: published by the store to `bottom`, or by `publish`.
        self.slot(bottom).store(item.as_ptr(), Ordering::Relaxed);
        // Ordering: Release pairs with the Acquire load of `bottom` in `force_if`, so that a thief
        // that sees the item counted sees the slot, and what the item points to.
        owners.bottom.store(bottom + 1, Ordering::Release);
        Place(bottom + 1)
    }

    /// Takes back the item that was pushed to `place`, if it is there and nothing lies above it.
    #[inline]
    pub fn take(&self, place: Place) -> Take {
        let owners = &self.shared.owners;
        // Ordering: only the owner writes `bottom`.
        if owners.bottom.load(Ordering::Relaxed) != place.0 {
            return self.take_after_steals();
        }
        let index = place.0 - 1;
        // Ordering: LIGHT orders this store before the load of `guard`; it pairs with HEAVY in
        // `force_if`.
        owners.bottom.store(index, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        // Ordering: nothing is read on the strength of `guard`.
        if owners.guard.load(Ordering::Relaxed) <= index {
            Take::Mine
        } else {
            self.take_guarded(index)
        }
    }

    /// Removes and returns the newest item.
    pub fn pop(&self) -> Option<NonNull<T>> {
        let bottom = self.bottom();
        // Ordering: a stale `top` only makes the deque look fuller than it is.
        if bottom == self.shared.thieves.top.load(Ordering::Relaxed) {
            return None;
        }
        match self.take(Place(bottom)) {
            // Ordering: the owner wrote the slot itself.
            Take::Mine => NonNull::new(self.slot(bottom - 1).load(Ordering::Relaxed)),
            Take::Stolen | Take::Covered => None,
        }
    }

    /// Makes the oldest item public, if there is one and it is not public yet: somebody is looking
    /// for work.
    pub fn publish(&self) {
        // Ordering: only the owner writes `bottom`; a stale `top` makes this a call for nothing.
        let top = self.shared.thieves.top.load(Ordering::Relaxed);
        let public = &self.shared.thieves.public;
        // Ordering: only the owner writes `public`.
        if self.bottom() <= top || public.load(Ordering::Relaxed) > top {
            return;
        }
        // A thief that uses force may raise it at the same time; what counts is that it is up.
        while !self.shared.raise_guard(top) {}
        // Ordering: Release pairs with the Acquire load in `steal_if`, so that a thief sees the slot
        // and what the item points to.
        public.store(top + 1, Ordering::Release);
    }

    /// Whether items were pushed since the owner was at `place` that may still be here.
    #[inline]
    pub fn is_above(&self, place: Place) -> bool {
        self.bottom() > place.0
    }

    /// Where the owner is now: the place of the newest item.
    #[inline]
    pub fn place(&self) -> Place {
        Place(self.bottom())
    }

    fn bottom(&self) -> usize {
        // Ordering: only the owner writes `bottom`.
        self.shared.owners.bottom.load(Ordering::Relaxed)
    }

    #[inline]
    fn slot(&self, index: usize) -> &AtomicPtr<T> {
        // SAFETY: there are mask + 1 slots, and `& mask` is at most mask.
        let slot = unsafe { self.slots.get().add(index & self.mask.get()) };
        // SAFETY: the newest buffer lives as long as `shared`.
        unsafe { slot.as_ref() }
    }

    fn use_buffer(&self, buffer: NonNull<Buffer<T>>) {
        // SAFETY: buffers live as long as `shared`.
        let new = unsafe { buffer.as_ref() };
        self.buffer.set(buffer);
        self.slots.set(NonNull::from(&new.slots[..]).cast());
        self.mask.set(new.mask);
    }

    /// The item at `index`, to which `bottom` was moved down, is guarded: it is the oldest, or gone.
    /// Or LIGHT has to be a real fence, which it is here.
    #[cold]
    fn take_guarded(&self, index: usize) -> Take {
        if !self.light.is_free() {
            self.light.fence();
            // Ordering: as in `take`.
            if self.shared.owners.real_guard.load(Ordering::Relaxed) <= index {
                return Take::Mine;
            }
        }
        let won = self.shared.win(index);
        // Won or lost, `top` is now index + 1 and the deque is empty.
        // Ordering: no item is published by this.
        self.shared
            .owners
            .bottom
            .store(index + 1, Ordering::Relaxed);
        if won { Take::Mine } else { Take::Stolen }
    }

    /// `bottom` is further up than the caller left it: newer items lie there, or items were stolen,
    /// whose indices are not used again.
    #[cold]
    fn take_after_steals(&self) -> Take {
        // Ordering: a stale value is smaller, and then `Covered` makes the caller look again.
        let top = self.shared.thieves.top.load(Ordering::Relaxed);
        if top == self.bottom() {
            Take::Stolen
        } else {
            Take::Covered
        }
    }

    /// `bottom` has reached `limit`: looks where `top` is by now, and grows the ring if it is full.
    #[cold]
    fn make_room(&self, bottom: usize) {
        // SAFETY: the newest buffer lives as long as `shared`.
        let old = unsafe { self.buffer.get().as_ref() };
        let capacity = old.mask + 1;
        // Ordering: Acquire pairs with the swap in `win`: a slot is overwritten only after the thief
        // that took its item has read it.
        let top = self.shared.thieves.top.load(Ordering::Acquire);
        if bottom - top < capacity {
            self.limit.set(top + capacity);
            return;
        }
        let buffer = Buffer::allocate(2 * capacity, self.buffer.get().as_ptr());
        // SAFETY: just allocated, and not shared yet.
        let new = unsafe { buffer.as_ref() };
        for index in top..bottom {
            // Ordering: published by the store to `buffer` below.
            new.slot(index)
                .store(old.slot(index).load(Ordering::Relaxed), Ordering::Relaxed);
        }
        self.use_buffer(buffer);
        self.limit.set(top + 2 * capacity);
        // Ordering: Release pairs with the Acquire load in `read`.
        self.shared
            .owners
            .buffer
            .store(buffer.as_ptr(), Ordering::Release);
    }
}

impl<T> Shared<T> {
    fn guard(&self) -> &AtomicUsize {
        let owners = &self.owners;
        if Light::settled().is_free() {
            &owners.guard
        } else {
            &owners.real_guard
        }
    }

    /// Takes the item at `index`, if it is the oldest.
    fn win(&self, index: usize) -> bool {
        // Ordering: SeqCst puts all swaps into one order; it is also the Release that `make_room`
        // pairs with, and the Acquire for a winner that reads what an earlier one left. A
        // failure reads nothing.
        let (success, failure) = (Ordering::SeqCst, Ordering::Relaxed);
        self.thieves
            .top
            .compare_exchange(index, index + 1, success, failure)
            .is_ok()
    }

    /// Lets the owner ask before it takes the item at `top`; false if somebody else moved the guard
    /// at the same time.
    #[must_use]
    fn raise_guard(&self, top: usize) -> bool {
        let guard = self.guard();
        // Ordering: read again by the swap.
        let seen = guard.load(Ordering::Relaxed);
        // Ordering: AcqRel keeps the guard's history in one chain; the owner's view of it is
        // settled by the fences (see the crate page).
        seen > top
            || guard
                .compare_exchange(seen, top + 1, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
    }

    /// Reads the slot of the item at `index`. The value counts if the item is won afterwards.
    fn read(&self, index: usize) -> *mut T {
        // Ordering: Acquire pairs with the Release store in `make_room`. The caller has seen the item
        // published, so the buffer is at least as new as the item.
        let buffer = self.owners.buffer.load(Ordering::Acquire);
        // SAFETY: buffers live as long as `shared`.
        let buffer = unsafe { &*buffer };
        // Ordering: made visible by what published the item. If the slot has been overwritten since,
        // the swap fails.
        buffer.slot(index).load(Ordering::Relaxed)
    }

    fn steal_at(&self, index: usize, condition: impl FnOnce(Place) -> bool) -> Steal<NonNull<T>> {
        let item = self.read(index);
        if !condition(Place(index + 1)) {
            return Steal::Refused;
        }
        if !self.win(index) {
            return Steal::Lost;
        }
        // The swap succeeded, so the item was there and its slot held what was pushed.
        NonNull::new(item).map_or(Steal::Empty, Steal::Got)
    }
}

impl<T: Sync> Thief<T> {
    /// Steals the oldest item, if it is public.
    pub fn steal(&self) -> Steal<NonNull<T>> {
        self.steal_if(|_| true)
    }

    /// Steals the oldest item, if it is public and `condition` holds while it is in the deque, at the
    /// place that the condition is told.
    pub fn steal_if(&self, condition: impl FnOnce(Place) -> bool) -> Steal<NonNull<T>> {
        let thieves = &self.shared.thieves;
        // Ordering: Acquire pairs with the swaps.
        let top = thieves.top.load(Ordering::Acquire);
        // Ordering: Acquire pairs with the Release store in `publish`.
        if thieves.public.load(Ordering::Acquire) > top {
            self.shared.steal_at(top, condition)
        } else if self.is_empty() {
            Steal::Empty
        } else {
            Steal::Hidden
        }
    }

    /// Steals the oldest item, hidden or not. It may cost a system call.
    pub fn force(&self) -> Steal<NonNull<T>> {
        self.force_if(|_| true)
    }

    /// Steals the oldest item, hidden or not, if `condition` holds while it is in the deque.
    pub fn force_if(&self, condition: impl FnOnce(Place) -> bool) -> Steal<NonNull<T>> {
        let forcing = &self.shared.thieves.forcing;
        // Ordering: Acquire pairs with the Release store below: the thief that held it before has
        // passed HEAVY.
        if forcing.swap(true, Ordering::Acquire) {
            return Steal::Lost;
        }
        let stolen = self.force_alone(condition);
        forcing.store(false, Ordering::Release);
        stolen
    }

    fn force_alone(&self, condition: impl FnOnce(Place) -> bool) -> Steal<NonNull<T>> {
        let (thieves, owners) = (&self.shared.thieves, &self.shared.owners);
        // Ordering: Acquire pairs with the swaps.
        let top = thieves.top.load(Ordering::Acquire);
        // A look for free.
        if owners.bottom.load(Ordering::Relaxed) <= top {
            return Steal::Empty;
        }
        // Ordering: a guard that is up was raised by the owner, who knows, or by a thief that had
        // `forcing` before us. Acquire, so that `bottom` below is not older than the guard.
        if self.shared.guard().load(Ordering::Acquire) <= top {
            if !self.shared.raise_guard(top) {
                return Steal::Lost;
            }
            // Pairs with LIGHT in `take`.
            heavy();
        }
        // Ordering: Acquire pairs with the Release store in `push`.
        if owners.bottom.load(Ordering::Acquire) <= top {
            return Steal::Empty;
        }
        self.shared.steal_at(top, condition)
    }

    /// How many items there seem to be. After [`heavy`], an item whose owner went on to pass LIGHT
    /// without noticing the caller is counted.
    pub fn len(&self) -> usize {
        // Ordering: a number that may be out of date when it arrives.
        let top = self.shared.thieves.top.load(Ordering::Relaxed);
        self.shared
            .owners
            .bottom
            .load(Ordering::Acquire)
            .saturating_sub(top)
    }

    /// The place of the oldest item, if there seems to be one.
    pub fn oldest(&self) -> Option<Place> {
        // Ordering: as in `len`.
        let top = self.shared.thieves.top.load(Ordering::Relaxed);
        let bottom = self.shared.owners.bottom.load(Ordering::Acquire);
        (bottom > top).then_some(Place(top + 1))
    }

    /// Whether there seems to be nothing to steal.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T> fmt::Debug for Owner<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Owner").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for Thief<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thief").finish_non_exhaustive()
    }
}
