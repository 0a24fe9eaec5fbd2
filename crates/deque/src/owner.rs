use core::fmt;
use core::marker::PhantomData;
use core::ops::Deref;
use core::ptr::{self, NonNull};

use crate::asymmetric::{Light, register_soon};
use crate::attention::Attention;
use crate::mark;
use crate::ring::Ring;
use crate::state::DequeState;
use crate::sync::{Arc, AtomicPtr, FENCED, Ordering, compiler_fence, fence, put, yield_now};
use crate::{Position, Take};

/// The owner's end of the deque. It can be sent to another thread but not shared.
///
/// Its operations are those of [`Bottom`], to which it dereferences.
pub struct Owner<T> {
    shared: Arc<DequeState<T>>,
    /// Not shared with other threads: there is one owner.
    unshared: PhantomData<*const T>,
}

// SAFETY: an owner returns pointers to `T` that other threads may have pushed or taken, which `T:
// Sync` allows. The owner's cells move with it.
unsafe impl<T: Sync> Send for Owner<T> {}

impl<T> Owner<T> {
    /// The one owner of the deque.
    pub(crate) fn new(shared: Arc<DequeState<T>>) -> Self {
        Self {
            shared,
            unshared: PhantomData,
        }
    }
}

impl<T> Deref for Owner<T> {
    type Target = Bottom<T>;

    fn deref(&self) -> &Bottom<T> {
        let shared = ptr::from_ref::<DequeState<T>>(&self.shared);
        // SAFETY: a `Bottom` is a `DequeState` (it is transparent). Only the owner returns
        // references to a `Bottom`. They cannot be sent to another thread, and while one exists
        // neither can the owner.
        unsafe { &*shared.cast() }
    }
}

/// The bottom of a deque, for its owner: a reference to it is all that a push or a take needs.
#[repr(transparent)]
pub struct Bottom<T> {
    shared: DequeState<T>,
    unshared: PhantomData<*const T>,
}

impl<T: Sync> Bottom<T> {
    /// Puts an item at the bottom, where it is hidden but can be stolen by force. True if attention
    /// is raised: then the owner should [`publish`](Self::publish), or do more.
    #[inline]
    #[must_use]
    pub fn push(&self, item: NonNull<T>) -> bool {
        let own = &self.shared.owner;
        // Ordering: only the owner writes `bottom`.
        let index = own.bottom.load(Ordering::Relaxed);
        // There is room: `push_slow_path` has ensured that.
        // Ordering: published by the store to `bottom`, or by `publish`.
        put(self.slot(index), item.as_ptr(), Ordering::Relaxed);
        let bottom = index + 1;
        // Ordering: Release pairs with the Acquire loads of `bottom` in `force_exclusively`. So a
        // thief that sees the item counted sees the slot, and what the item points to.
        own.bottom.store(bottom, Ordering::Release);
        // Ordering: only the owner counts, and readers need a recent number.
        let pushes = own.pushes.load(Ordering::Relaxed).wrapping_add(1);
        own.pushes.store(pushes, Ordering::Relaxed);
        // LIGHT: pairs with the HEAVY of a thread that has raised attention and is about to rely on
        // it. We see the attention, or that thread sees the item.
        compiler_fence(Ordering::SeqCst);
        own.attention.is_reached_by(bottom) && self.push_slow_path(index)
    }

    /// Takes back `item`, if it is there and no item lies above it. The owner has pushed it, and
    /// neither popped it nor taken it back since.
    #[inline]
    pub fn take(&self, item: NonNull<T>) -> Take {
        let own = &self.shared.owner;
        // Ordering: only the owner writes `bottom`. Never zero: `item` was pushed, and only a take
        // that succeeds lowers `bottom` for good.
        let index = own.bottom.load(Ordering::Relaxed) - 1;
        // Ordering: LIGHT orders this store before the load of the slot; it pairs with HEAVY in
        // `force_exclusively`. Release as in `push`: a thief may count the items below by it.
        own.bottom.store(index, Ordering::Release);
        compiler_fence(Ordering::SeqCst);
        // Ordering: the owner wrote the slot itself, and a mark publishes nothing to it.
        if ptr::eq(self.slot(index).load(Ordering::Relaxed), item.as_ptr()) {
            Take::Mine
        } else {
            self.take_slow_path(index, item)
        }
    }

    /// Removes and returns the newest item.
    pub fn pop(&self) -> Option<NonNull<T>> {
        let bottom = self.bottom();
        // Ordering: a stale `top` only makes the deque look fuller than it is.
        if bottom == self.shared.thieves.top.load(Ordering::Relaxed) {
            return None;
        }
        let index = bottom - 1;
        // Ordering: as in `take`.
        self.shared.owner.bottom.store(index, Ordering::Release);
        compiler_fence(Ordering::SeqCst);
        let item = self.slot(index).load(Ordering::Relaxed);
        if mark::is_marked(item) && !self.settle(index) {
            return None;
        }
        NonNull::new(mark::unmarked(item))
    }

    /// Makes the oldest item public for a thief that looks for work, if there is an item and it is
    /// not public yet.
    pub fn publish(&self) {
        // Ordering: with a stale `top` this has no effect. The slot was not reused, since the owner
        // has not read `top` for that yet.
        let top = self.shared.thieves.top.load(Ordering::Relaxed);
        let public = &self.shared.thieves.public;
        // Ordering: only the owner writes `public`.
        if self.bottom() <= top || public.load(Ordering::Relaxed) > top {
            return;
        }
        // A forcing thief may mark the item at the same time, to the same effect.
        let slot = self.slot(top);
        // Ordering: the owner wrote the slot.
        let item = slot.load(Ordering::Relaxed);
        // Ordering: Release pairs with the Acquire load in `force_exclusively`: a thief may find
        // this mark without having seen the push in `bottom`, whose value may stem from an earlier
        // item.
        put(slot, mark::guarded(item), Ordering::Release);
        // Ordering: Release pairs with the Acquire load in `steal_if`, so that a thief sees the
        // slot and what the item points to.
        public.store(top + 1, Ordering::Release);
    }

    /// Whether attention is raised, for an owner that may have hidden an item for a moment.
    pub fn is_attention_raised(&self) -> bool {
        // A full fence serves as LIGHT in either mode.
        fence(Ordering::SeqCst);
        self.attention().is_raised()
    }

    /// The flag that thieves and sleepers raise.
    pub fn attention(&self) -> &Attention {
        &self.shared.owner.attention
    }

    /// Whether there may be items that were pushed after the owner was at `position`.
    #[inline]
    pub fn is_above(&self, position: Position) -> bool {
        self.bottom() > position.0
    }

    /// The current position: that of the newest item.
    #[inline]
    pub fn position(&self) -> Position {
        Position(self.bottom())
    }

    fn bottom(&self) -> usize {
        // Ordering: only the owner writes `bottom`.
        self.shared.owner.bottom.load(Ordering::Relaxed)
    }

    #[inline]
    fn slot(&self, index: usize) -> &AtomicPtr<T> {
        let own = &self.shared.owner;
        // SAFETY: there are mask + 1 slots, and `& mask` is at most mask.
        let slot = unsafe { own.slots.get().add(index & own.mask.get()) };
        // SAFETY: the newest ring lives as long as `shared`.
        unsafe { slot.as_ref() }
    }

    /// `bottom` has reached the limit in `attention`: attention is raised, the ring is full, or the
    /// item is to be fenced. True if attention is raised.
    #[cold]
    fn push_slow_path(&self, index: usize) -> bool {
        let own = &self.shared.owner;
        // This item is fenced even if the next ones need not be.
        let light = own.light.get();
        if self.is_to_be_fenced() {
            self.mark_as_fenced(index);
        }
        if !light.is_free() {
            light.fence();
            self.go_over();
        }
        if index + 1 >= own.room.get() {
            self.make_room(index + 1);
        }
        own.attention.is_raised()
    }

    /// Whether the item just pushed is to be fenced: every item if LIGHT has to be a real fence,
    /// and otherwise those that follow a costly forced steal.
    fn is_to_be_fenced(&self) -> bool {
        let own = &self.shared.owner;
        if !own.light.get().is_free() {
            return true;
        }
        let was_costly = &self.shared.thieves.was_costly;
        // Ordering: a hint. One that is set between the two is lost.
        if was_costly.load(Ordering::Relaxed) {
            was_costly.store(false, Ordering::Relaxed);
            own.to_fence.set(FENCED);
            own.attention.check_every_push();
        }
        let Some(left) = own.to_fence.get().checked_sub(1) else {
            return false;
        };
        own.to_fence.set(left);
        if left == 0 {
            own.attention.make_room(own.room.get(), own.light.get());
        }
        true
    }

    /// Goes over to the free fence if there is one by now, and asks for it if that pays.
    fn go_over(&self) {
        let own = &self.shared.owner;
        let light = Light::of_now();
        if light.is_free() {
            own.light.set(light);
            own.attention.make_room(own.room.get(), light);
        } else if let Some(left) = own.patience.get().checked_sub(1) {
            own.patience.set(left);
            if left == 0 {
                register_soon();
            }
        }
    }

    /// Makes sure that a take of this item comes to `settle`.
    fn mark_as_fenced(&self, index: usize) {
        let slot = self.slot(index);
        loop {
            // Ordering: the owner wrote the slot, except for a mark that a thief may put there
            // meanwhile.
            let item = slot.load(Ordering::Relaxed);
            // Ordering: Release pairs with the Acquire load in `force_exclusively`, as in
            // `publish`: a thief that finds this mark passes no HEAVY, and the `bottom` that it
            // knows may stem from an earlier item.
            let (success, failure) = (Ordering::Release, Ordering::Relaxed);
            let marked = slot.compare_exchange(item, mark::fenced(item), success, failure);
            if marked.is_ok() {
                return;
            }
        }
    }

    /// `bottom` was lowered to `index`, whose slot does not hold `item`, or holds it with a mark.
    #[cold]
    fn take_slow_path(&self, index: usize, item: NonNull<T>) -> Take {
        // Ordering: as in `take`.
        let found = self.slot(index).load(Ordering::Relaxed);
        if ptr::eq(mark::unmarked(found), item.as_ptr()) {
            return if self.settle(index) {
                Take::Mine
            } else {
                Take::Stolen
            };
        }
        // Ordering: Release as in `push`: to a thief, this store counts the item there.
        self.shared.owner.bottom.store(index + 1, Ordering::Release);
        // Ordering: a stale value is smaller, and then `Covered` makes the caller try again.
        if self.shared.thieves.top.load(Ordering::Relaxed) == index + 1 {
            Take::Stolen
        } else {
            Take::Covered
        }
    }

    /// Decides whether the marked item at `index`, to which `bottom` was lowered, is the owner's.
    #[cold]
    fn settle(&self, index: usize) -> bool {
        let shared = &self.shared;
        // Pairs with the fence or HEAVY in `force_exclusively`. It is also LIGHT where that is not
        // free.
        fence(Ordering::SeqCst);
        // Ordering: as in `take`.
        if !mark::is_guarded(self.slot(index).load(Ordering::Relaxed)) {
            return true;
        }
        // Ordering: after the fence; the value publishes nothing.
        let top = shared.thieves.top.load(Ordering::Relaxed);
        if top < index {
            return true;
        }
        let won = shared.win(index);
        // Won or lost, `top` is now index + 1 and the deque is empty.
        // Ordering: this publishes no item.
        shared.owner.bottom.store(index + 1, Ordering::Relaxed);
        won
    }

    /// `bottom` has reached the end of the room: reads how far `top` has moved, and grows the ring
    /// if it is full.
    fn make_room(&self, bottom: usize) {
        let own = &self.shared.owner;
        let capacity = own.mask.get() + 1;
        // Ordering: Acquire pairs with the swap in `win`: a slot is overwritten only after the
        // thief that took its item has read it.
        let top = self.shared.thieves.top.load(Ordering::Acquire);
        let room = if bottom - top < capacity {
            top + capacity
        } else {
            self.grow(top..bottom);
            top + 2 * capacity
        };
        own.room.set(room);
        if own.to_fence.get() == 0 {
            own.attention.make_room(room, own.light.get());
        }
    }

    fn grow(&self, items: core::ops::Range<usize>) {
        let own = &self.shared.owner;
        // No thief may mark an item while it is copied. A thief that holds `forcing` may be in a
        // system call, but growth happens once for each doubling.
        while !self.shared.begin_force() {
            yield_now();
        }
        // Ordering: only the owner writes `ring`.
        let older = own.ring.load(Ordering::Relaxed);
        // SAFETY: the newest ring lives as long as `shared`.
        let old = unsafe { &*older };
        let ring = Ring::allocate(2 * old.slots.len(), older);
        // SAFETY: just allocated, and not shared yet.
        let new = unsafe { ring.as_ref() };
        for index in items {
            // Ordering: published by the store to `ring` below.
            new.slot(index)
                .store(old.slot(index).load(Ordering::Relaxed), Ordering::Relaxed);
        }
        own.slots.set(NonNull::from(&new.slots[..]).cast());
        own.mask.set(new.mask);
        // Ordering: Release pairs with the Acquire load in `DequeState::slot`.
        own.ring.store(ring.as_ptr(), Ordering::Release);
        self.shared.end_force();
    }
}

impl<T> fmt::Debug for Owner<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Owner").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for Bottom<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bottom").finish_non_exhaustive()
    }
}
