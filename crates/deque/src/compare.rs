//! Steps of a fork and its take that are one instruction on x86-64.
//!
//! The compiler makes one instruction of a load and the comparison that follows, but not if the
//! load is atomic. So the two comparisons are written out there. On other processors, under Miri
//! and in models they are what they mean: a Relaxed load and a comparison.

use crate::state::DequeState;
use crate::sync::Ordering;

impl<T> DequeState<T> {
    /// Raises `bottom`, which is `index`, by one: an item was pushed there.
    #[inline(always)]
    pub(crate) fn raise_bottom(&self, index: usize) {
        let bottom = &self.owner.bottom;
        // Loaded again on x86-64, where the compiler makes one instruction of load, addition and
        // store.
        // Ordering: only the owner writes `bottom`.
        let index = if cfg!(all(target_arch = "x86_64", not(any(loom, shuttle)))) {
            bottom.load(Ordering::Relaxed)
        } else {
            index
        };
        // Ordering: Release pairs with the Acquire loads of `bottom` in `force_exclusively`. So a
        // thief that sees the item counted sees the slot, and what the item points to.
        bottom.store(index + 1, Ordering::Release);
    }

    /// Whether a push at `index` takes its slow path.
    // Ordering: a Relaxed load. LIGHT and HEAVY order it where a sleeper relies on it. A mere
    // request may be seen late.
    #[inline(always)]
    pub(crate) fn is_limit_reached_by(&self, index: usize) -> bool {
        comparison::is_limit_reached_by(self, index)
    }

    /// Whether the item at `index` is guarded.
    // Ordering: a Relaxed load. LIGHT and HEAVY order it; a guard publishes nothing to the owner.
    #[inline(always)]
    pub(crate) fn is_guarded(&self, index: usize) -> bool {
        comparison::is_guarded(self, index)
    }
}

#[cfg(all(target_arch = "x86_64", not(any(miri, loom, shuttle))))]
mod comparison {
    use core::arch::asm;
    use core::mem::offset_of;
    use core::ptr;

    use crate::state::DequeState;

    #[inline(always)]
    pub(super) fn is_limit_reached_by<T>(state: &DequeState<T>, index: usize) -> bool {
        // SAFETY: the operand is `push_limit`, a word of `state`, which lives. Other threads write
        // it by atomic operations only, and an aligned load of eight bytes is atomic on this
        // processor. The code writes no memory, uses no stack, and leaves by its end or its label.
        unsafe {
            asm!(
                "cmp qword ptr [{state} + {offset}], {index}",
                "jbe {reached}",
                state = in(reg) ptr::from_ref(state),
                offset = const offset_of!(DequeState<T>, owner.0.attention.0.push_limit),
                index = in(reg) index,
                reached = label { return true },
                options(nostack, readonly),
            );
        }
        false
    }

    #[inline(always)]
    pub(super) fn is_guarded<T>(state: &DequeState<T>, index: usize) -> bool {
        // SAFETY: as above; the operand is `guard`.
        unsafe {
            asm!(
                "cmp qword ptr [{state} + {offset}], {index}",
                "ja {guarded}",
                state = in(reg) ptr::from_ref(state),
                offset = const offset_of!(DequeState<T>, owner.0.guard),
                index = in(reg) index,
                guarded = label { return true },
                options(nostack, readonly),
            );
        }
        false
    }
}

#[cfg(not(all(target_arch = "x86_64", not(any(miri, loom, shuttle)))))]
mod comparison {
    use crate::state::DequeState;
    use crate::sync::Ordering;

    #[inline(always)]
    pub(super) fn is_limit_reached_by<T>(state: &DequeState<T>, index: usize) -> bool {
        // Ordering: see the method.
        state.owner.attention.push_limit.load(Ordering::Relaxed) <= index
    }

    #[inline(always)]
    pub(super) fn is_guarded<T>(state: &DequeState<T>, index: usize) -> bool {
        // Ordering: see the method.
        state.owner.guard.load(Ordering::Relaxed) > index
    }
}
