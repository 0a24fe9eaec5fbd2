//! What an owner does now and then: it makes room, and changes the way in which it guards items.

use crate::asymmetric::{Light, register_soon};
use crate::owner::Bottom;
use crate::ring::Ring;
use crate::state::EVERY_TAKE;
use crate::sync::{FENCED, Ordering};

impl<T: Sync> Bottom<T> {
    /// An item was pushed at `index`, the limit in `attention` or more: attention is raised, the
    /// ring is full, or items are being fenced. True if attention is raised.
    #[cold]
    pub(crate) fn push_slow_path(&self, index: usize) -> bool {
        let own = &self.shared.owner;
        let light = own.light.get();
        if light.is_free() {
            self.count_fenced();
        } else {
            light.fence();
            self.go_over();
        }
        if index >= own.last.get() {
            self.make_room(index + 1);
        }
        own.attention.is_raised()
    }

    /// Fences the items that follow a costly forced steal, this one included: their takes come to
    /// `settle`.
    fn count_fenced(&self) {
        let own = &self.shared.owner;
        let was_costly = &self.shared.thieves.was_costly;
        // Ordering: a hint. One that is set between the two is lost.
        if was_costly.load(Ordering::Relaxed) {
            was_costly.store(false, Ordering::Relaxed);
            own.to_fence.set(Some(FENCED));
            self.shared.guard_below(EVERY_TAKE);
            own.attention.check_every_push();
        }
        let Some(left) = own.to_fence.get() else {
            return;
        };
        if let Some(left) = left.checked_sub(1) {
            own.to_fence.set(Some(left));
        } else if self.lower_guard() {
            own.to_fence.set(None);
            own.attention.make_room(own.last.get(), own.light.get());
        }
    }

    /// Goes over to the free fence if there is one by now, and asks for it if that pays. The guard
    /// is lowered at the next push, as at the end of fenced items.
    fn go_over(&self) {
        let own = &self.shared.owner;
        let light = Light::of_now();
        if light.is_free() {
            own.light.set(light);
            own.to_fence.set(Some(0));
        } else if let Some(left) = own.fences_left.get().checked_sub(1) {
            own.fences_left.set(left);
            if left == 0 {
                register_soon();
            }
        }
    }

    /// Guards no more items than need it: those that were stolen or are public, and those below
    /// `floor`. False if a thief forces a steal just now.
    pub(crate) fn lower_guard(&self) -> bool {
        let own = &self.shared.owner;
        if !own.light.get().is_free() {
            return true;
        }
        // A thief that forces a steal relies on the guard.
        if !self.shared.begin_force() {
            return false;
        }
        let thieves = &self.shared.thieves;
        // Ordering: only the owner writes `public`. What was stolen by force was so before we got
        // the lock, and what is stolen now is public.
        let public = thieves.public.load(Ordering::Relaxed);
        let stolen = thieves.top.load(Ordering::Relaxed);
        let guard = public.max(stolen).max(own.floor.get());
        // Ordering: the lock publishes the new value to thieves.
        own.guard.store(guard, Ordering::Relaxed);
        self.shared.end_force();
        true
    }

    /// An item was pushed at the last index.
    fn make_room(&self, bottom: usize) {
        let own = &self.shared.owner;
        if bottom >= self.ring().end() {
            self.relocate(bottom);
        }
        own.last.set(self.ring().end() - 1);
        if own.to_fence.get().is_none() {
            own.attention.make_room(own.last.get(), own.light.get());
        }
    }

    /// Moves the items to another ring: one of the same size if they fill at most half of it, and
    /// otherwise one of twice the size.
    fn relocate(&self, bottom: usize) {
        let own = &self.shared.owner;
        // Ordering: Acquire pairs with the swap in `win`, as for `settle`.
        let top = self.shared.thieves.top.load(Ordering::Acquire);
        let old = self.ring();
        let capacity = old.slots.len();
        let is_roomy = bottom - top <= capacity / 2;
        let ring = own.spare.take().filter(|_| is_roomy).unwrap_or_else(|| {
            let capacity = if is_roomy { capacity } else { 2 * capacity };
            own.rings
                .set(Ring::allocate(capacity, own.rings.get().as_ptr()));
            own.rings.get()
        });
        // SAFETY: rings live as long as `shared`.
        let new = unsafe { ring.as_ref() };
        own.base.set(new.begin_at(top));
        for (slot, index) in new.slots.iter().zip(top..bottom) {
            let item = old.slot(index).map(|slot| slot.load(Ordering::Relaxed));
            // Ordering: published by the store to `ring` below.
            slot.store(item.unwrap_or_default(), Ordering::Relaxed);
        }
        own.spare.set(is_roomy.then_some(old.into()));
        // Ordering: Release pairs with the Acquire load in `DequeState::read`.
        own.ring.store(ring.as_ptr(), Ordering::Release);
    }

    /// The deque is empty, with both ends at `index`: the next item goes into the first slot.
    pub(crate) fn begin_again_at(&self, index: usize) {
        self.shared.owner.base.set(self.ring().begin_at(index));
    }

    pub(crate) fn ring(&self) -> &Ring<T> {
        // Ordering: only the owner writes `ring`.
        let ring = self.shared.owner.ring.load(Ordering::Relaxed);
        // SAFETY: rings live as long as `shared`.
        unsafe { &*ring }
    }
}
