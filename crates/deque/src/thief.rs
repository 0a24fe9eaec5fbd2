use core::fmt;
use core::ptr::NonNull;

use crate::asymmetric::heavy;
use crate::attention::Attention;
use crate::mark;
use crate::state::DequeState;
use crate::sync::{Arc, Ordering, fence};
use crate::{Position, StealOutcome};

/// The thieves' end of the deque.
///
/// # When an attempt fails
///
/// ABP01 asks of `popTop` that it fails only on an empty deque, or if another operation removes the
/// item meanwhile. Two outcomes here are weaker: both may be returned while the item stays.
///
/// | outcome | from | the item |
/// |---|---|---|
/// | [`Empty`](StealOutcome::Empty) | both | there was none |
/// | [`Hidden`](StealOutcome::Hidden) | [`steal`](Self::steal) | is there, and only its owner or a forced steal can take it |
/// | [`Lost`](StealOutcome::Lost) | both | was taken meanwhile; or, from [`force_steal`](Self::force_steal), another thief is forcing and may yet fail |
///
/// So ABP01's lemma on P steal attempts, which lets every attempt at a deque with items take half
/// of its worker's potential, does not cover this deque attempt by attempt. A forced steal that no
/// other thief disputes does what the lemma asks; an attempt that ends with `Hidden` takes nothing.
/// Forcing is bounded by the owner's cost, not by the lemma, so the bound on steal attempts is not
/// claimed for real threads. `filch-sim` checks the lemma on its own deques, and a scheduler there
/// whose attempts fail with items present is caught by that check.
pub struct Thief<T> {
    shared: Arc<DequeState<T>>,
}

impl<T> Clone for Thief<T> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<T> Thief<T> {
    pub(crate) fn new(shared: Arc<DequeState<T>>) -> Self {
        Self { shared }
    }
}

impl<T: Sync> Thief<T> {
    /// Steals the oldest item, if it is public.
    pub fn steal(&self) -> StealOutcome<NonNull<T>> {
        self.steal_if(|_| true)
    }

    /// Steals the oldest item, if it is public and `condition` holds while it is in the deque. The
    /// condition is called with the position of the item.
    pub fn steal_if(&self, condition: impl FnOnce(Position) -> bool) -> StealOutcome<NonNull<T>> {
        let thieves = &self.shared.thieves;
        // Ordering: Acquire pairs with the swaps.
        let top = thieves.top.load(Ordering::Acquire);
        // Ordering: Acquire pairs with the Release store in `publish`.
        if thieves.public.load(Ordering::Acquire) > top {
            // Ordering: published together with the item.
            let item = self.shared.slot(top).load(Ordering::Relaxed);
            self.shared.win_if(top, item, condition)
        } else if self.is_empty() {
            StealOutcome::Empty
        } else {
            StealOutcome::Hidden
        }
    }

    /// Steals the oldest item, hidden or not. This may cost a system call.
    pub fn force_steal(&self) -> StealOutcome<NonNull<T>> {
        self.force_steal_if(|_| true)
    }

    /// Steals the oldest item, hidden or not, if `condition` holds while it is in the deque.
    pub fn force_steal_if(
        &self,
        condition: impl FnOnce(Position) -> bool,
    ) -> StealOutcome<NonNull<T>> {
        if !self.shared.begin_force() {
            return StealOutcome::Lost;
        }
        // Released even if the condition panics.
        let _end = ForceGuard(&self.shared);
        self.force_exclusively(condition)
    }

    fn force_exclusively(
        &self,
        condition: impl FnOnce(Position) -> bool,
    ) -> StealOutcome<NonNull<T>> {
        let (thieves, owner) = (&self.shared.thieves, &self.shared.owner);
        // Ordering: Acquire pairs with the swaps.
        let top = thieves.top.load(Ordering::Acquire);
        // A first check, which costs no fence. Ordering: Acquire, so that the slot is not older
        // than the item.
        if owner.bottom.load(Ordering::Acquire) <= top {
            return StealOutcome::Empty;
        }
        let slot = self.shared.slot(top);
        // Ordering: a mark that is there was put by the owner, which reads its own writes, or by a
        // thief that held `forcing` before us.
        let seen = slot.load(Ordering::Relaxed);
        if mark::is_guarded(seen) {
            // Pairs with the fence in `settle`.
            fence(Ordering::SeqCst);
        } else {
            // Ordering: the mark publishes nothing. A value read on failure is not used.
            let (success, failure) = (Ordering::Relaxed, Ordering::Relaxed);
            let marked = slot.compare_exchange(seen, mark::guarded(seen), success, failure);
            if marked.is_err() {
                return StealOutcome::Lost;
            }
            if mark::is_fenced(seen) {
                // Pairs with the fence in `settle`.
                fence(Ordering::SeqCst);
            } else {
                let before = self.moves();
                // Pairs with LIGHT in `take`, and with the fence in `settle`.
                heavy();
                if owner.light.is_free() && self.moves() == before {
                    self.request_fences();
                }
            }
        }
        // Ordering: Acquire pairs with the Release store in `push`, so that a slot that was
        // overwritten since is seen so.
        if owner.bottom.load(Ordering::Acquire) <= top {
            return StealOutcome::Empty;
        }
        // Ordering: Acquire pairs with the Release in `publish` and `mark_as_fenced`: the mark may
        // be the owner's, or ours on top of the owner's, on an item that `bottom` has not shown us
        // yet.
        let item = slot.load(Ordering::Acquire);
        if !mark::is_guarded(item) {
            return StealOutcome::Lost;
        }
        self.shared.win_if(top, item, condition)
    }

    /// Changes with every push and every take.
    fn moves(&self) -> (usize, usize) {
        // loom would explore all values of these two, and correctness does not depend on them.
        if cfg!(loom) {
            return (0, 0);
        }
        let owner = &self.shared.owner;
        // Ordering: hints.
        let (pushes, bottom) = (&owner.pushes, &owner.bottom);
        (
            pushes.load(Ordering::Relaxed),
            bottom.load(Ordering::Relaxed),
        )
    }

    /// Asks the owner to fence its next items: an owner that did not move during a system call
    /// computes for so long between its pushes that a fence for each costs little.
    fn request_fences(&self) {
        // Ordering: a hint.
        self.shared
            .thieves
            .was_costly
            .store(true, Ordering::Relaxed);
        self.attention().raise();
    }

    /// Whether a forced steal would cost a fence and no system call.
    pub fn is_fenced(&self) -> bool {
        // Ordering: Acquire, as in `force_exclusively`, although the answer is only a hint.
        let top = self.shared.thieves.top.load(Ordering::Acquire);
        self.shared.owner.bottom.load(Ordering::Acquire) > top
            && mark::is_fenced(self.shared.slot(top).load(Ordering::Relaxed))
    }

    /// The flag that asks the owner to publish its oldest item, now or at its next push.
    pub fn attention(&self) -> &Attention {
        &self.shared.owner.attention
    }

    /// How many items were ever pushed.
    pub fn pushes(&self) -> usize {
        // Ordering: a number that may be out of date.
        self.shared.owner.pushes.load(Ordering::Relaxed)
    }

    /// How many items there seem to be. For a thread that has raised attention and then passed
    /// [`heavy`], every item counts whose push did not see that attention.
    pub fn len(&self) -> usize {
        // Ordering: a number that may be out of date.
        let top = self.shared.thieves.top.load(Ordering::Relaxed);
        self.shared
            .owner
            .bottom
            .load(Ordering::Acquire)
            .saturating_sub(top)
    }

    /// The position of the oldest item, if there seems to be one.
    pub fn oldest(&self) -> Option<Position> {
        // Ordering: as in `len`.
        let top = self.shared.thieves.top.load(Ordering::Relaxed);
        let bottom = self.shared.owner.bottom.load(Ordering::Acquire);
        (bottom > top).then_some(Position(top + 1))
    }

    /// Whether there seems to be nothing to steal.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

struct ForceGuard<'a, T>(&'a DequeState<T>);

impl<T> Drop for ForceGuard<'_, T> {
    fn drop(&mut self) {
        self.0.end_force();
    }
}

impl<T> fmt::Debug for Thief<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thief").finish_non_exhaustive()
    }
}
