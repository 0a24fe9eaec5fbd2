use core::fmt;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::Deref;
use core::ptr::{self, NonNull};

use crate::attention::Attention;
use crate::state::DequeState;
use crate::sync::{Arc, AtomicPtr, Ordering, compiler_fence, fence};
use crate::{Fork, Position, Take};

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
    pub(crate) shared: DequeState<T>,
    unshared: PhantomData<*const T>,
}

impl<T: Sync> Bottom<T> {
    /// Puts an item at the bottom, where it is hidden but can be stolen by force. The owner
    /// [takes](Self::take) it back, after all items that it forks later. True if attention is
    /// raised: then the owner should [`publish`](Self::publish), or do more.
    #[inline(always)]
    pub fn fork(&self, item: NonNull<T>) -> (Fork, bool) {
        let mut fork = MaybeUninit::uninit();
        let is_raised = self.fork_into(&mut fork, item);
        // SAFETY: `fork_into` has written it.
        (unsafe { fork.assume_init() }, is_raised)
    }

    /// As [`fork`](Self::fork), but writes the fork to `place`, before other threads can find the
    /// item.
    ///
    /// If the place is in an object that other threads know, the fork needs no register while the
    /// owner does something else.
    #[inline(always)]
    pub fn fork_into(&self, place: &mut MaybeUninit<Fork>, item: NonNull<T>) -> bool {
        let own = &self.shared.owner;
        // Ordering: only the owner writes `bottom`.
        let index = own.bottom.load(Ordering::Relaxed);
        place.write(Fork(index));
        // There is room: `push_slow_path` has ensured that.
        // Ordering: published by the store to `bottom`.
        self.slot(index).store(item.as_ptr(), Ordering::Relaxed);
        self.shared.raise_bottom(index);
        // Ordering: only the owner counts, and readers need a recent number.
        let pushes = own.pushes.load(Ordering::Relaxed).wrapping_add(1);
        own.pushes.store(pushes, Ordering::Relaxed);
        // LIGHT: pairs with the HEAVY of a thread that has raised attention and is about to rely on
        // it. We see the attention, or that thread sees the item.
        compiler_fence(Ordering::SeqCst);
        self.shared.is_limit_reached_by(index) && self.push_slow_path(index)
    }

    /// Takes back an item that was forked and not taken back since, if it is there and no item lies
    /// above it. All items that were forked later have left the deque.
    #[inline(always)]
    pub fn take(&self, fork: Fork) -> Take {
        let own = &self.shared.owner;
        // Ordering: LIGHT orders this store before the load of `guard`; it pairs with HEAVY in
        // `force_exclusively`. Release as in `fork`: a thief may count the items below by it.
        own.bottom.store(fork.0, Ordering::Release);
        compiler_fence(Ordering::SeqCst);
        if self.shared.is_guarded(fork.0) {
            self.take_slow_path(fork.0)
        } else {
            Take::Mine
        }
    }

    /// Puts an item at the bottom that the owner [pops](Self::pop). Otherwise as
    /// [`fork`](Self::fork).
    #[must_use]
    pub fn push(&self, item: NonNull<T>) -> bool {
        let own = &self.shared.owner;
        let (Fork(index), is_raised) = self.fork(item);
        // The items from `floor` on were forked. Their takes have to find out that this item lies
        // above.
        if own.floor.get() != index {
            self.shared.guard_below(index);
        }
        own.floor.set(index + 1);
        is_raised
    }

    /// Removes and returns the newest item.
    pub fn pop(&self) -> Option<NonNull<T>> {
        let own = &self.shared.owner;
        let bottom = self.bottom();
        // Ordering: a stale `top` only makes the deque look fuller than it is.
        if bottom == self.shared.thieves.top.load(Ordering::Relaxed) {
            return None;
        }
        let index = bottom - 1;
        // Ordering: as in `take`.
        own.bottom.store(index, Ordering::Release);
        compiler_fence(Ordering::SeqCst);
        let item = self.slot(index).load(Ordering::Relaxed);
        if own.guard.load(Ordering::Relaxed) > index && !self.settle(index) {
            return None;
        }
        own.floor.set(own.floor.get().min(self.bottom()));
        NonNull::new(item)
    }

    /// Makes the oldest item public for a thief that looks for work, if there is an item and it is
    /// not public yet.
    pub fn publish(&self) {
        // Ordering: with a stale `top` this has no effect: that item is gone.
        let top = self.shared.thieves.top.load(Ordering::Relaxed);
        let public = &self.shared.thieves.public;
        // Ordering: only the owner writes `public`.
        if self.bottom() <= top || public.load(Ordering::Relaxed) > top {
            return;
        }
        self.shared.guard_below(top + 1);
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

    /// The slot of an item of the deque, or of the next one.
    #[inline(always)]
    fn slot(&self, index: usize) -> &AtomicPtr<T> {
        debug_assert!(self.ring().slot(index).is_some(), "no slot for {index}");
        let slot = self.shared.owner.base.get().wrapping_add(index);
        // SAFETY: `base` is the first slot of the newest ring less the index at which that begins.
        // The deque is within the ring, which lives as long as `shared`, and has room for one more
        // item.
        unsafe { &*slot }
    }

    /// `bottom` was lowered to `index`, and items are guarded from there on.
    #[cold]
    fn take_slow_path(&self, index: usize) -> Take {
        let (own, shared) = (&self.shared.owner, &self.shared);
        let floor = own.floor.get();
        if floor > index + 1 {
            // Ordering: Release as in `fork`: to a thief, this store counts the items there.
            own.bottom.store(floor, Ordering::Release);
            // Ordering: a stale value is smaller, and then `Covered` makes the caller try again.
            return if shared.thieves.top.load(Ordering::Relaxed) == floor {
                Take::Stolen
            } else {
                Take::Covered
            };
        }
        if !self.settle(index) {
            return Take::Stolen;
        }
        own.floor.set(own.floor.get().min(self.bottom()));
        if own.to_fence.get().is_none() {
            self.lower_guard();
        }
        Take::Mine
    }

    /// Decides whether the guarded item at `index`, to which `bottom` was lowered, is the owner's.
    #[cold]
    fn settle(&self, index: usize) -> bool {
        let (own, shared) = (&self.shared.owner, &self.shared);
        // Pairs with the fence or HEAVY in `force_exclusively`. It is also LIGHT where that is not
        // free.
        fence(Ordering::SeqCst);
        // Ordering: after the fence; the value publishes nothing.
        if shared.thieves.top.load(Ordering::Relaxed) < index {
            return true;
        }
        let won = shared.win(index);
        // Won or lost, `top` is now index + 1 and the deque is empty.
        let bottom = index + 1;
        own.floor.set(bottom);
        // Ordering: this publishes no item.
        own.bottom.store(bottom, Ordering::Relaxed);
        self.begin_again_at(bottom);
        won
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
