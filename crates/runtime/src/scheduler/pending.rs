//! How many children of a scope have not ended.

use crate::sync::atomic::{AtomicBool, AtomicIsize, Ordering};

/// A count that is cheap for the worker that opened the scope, its *home*: most children are spawned
/// there and run there, and one read-modify-write for the spawn and one for the end would cost
/// more than all the rest.
///
/// So home counts by itself, in a word that nobody else writes, until it has nothing more to run and
/// *settles*: it adds its number to the common one, from which a large [`BIAS`] goes at the same time.
/// Before that the common number cannot reach zero; from then on all count together, and whoever
/// brings it to zero is the last.
pub(crate) struct Pending {
    /// Spawned at home less ended at home. Below zero if home has ended what others spawned.
    biased: AtomicIsize,
    /// Written by home alone.
    merged: AtomicBool,
    /// Spawned less ended everywhere else, with the bias until home has settled.
    shared: AtomicIsize,
}

/// More than there can be children.
const BIAS: isize = isize::MAX / 2;

impl Pending {
    pub(crate) fn new() -> Self {
        Self {
            biased: AtomicIsize::new(0),
            merged: AtomicBool::new(false),
            shared: AtomicIsize::new(BIAS),
        }
    }

    /// A child was spawned, at home or not.
    pub(crate) fn spawned(&self, by_owner: bool) {
        if by_owner && !self.is_merged() {
            self.count_biased(1);
        } else {
            // Ordering: the count only has to be above zero until the child has ended, which the caller
            // sees to: it is a child that is counted itself, or comes before home settles.
            self.shared.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A child has ended, at home or not. True if nothing is pending any more; if false, the caller
    /// must not touch the scope again, unless it is home.
    #[must_use]
    pub(crate) fn ended(&self, by_owner: bool) -> bool {
        if by_owner && !self.is_merged() {
            self.count_biased(-1);
            return false;
        }
        // Ordering: Release makes what the child did visible to the last one to end, or to home when it
        // settles; Acquire lets the last one pass it on through the latch.
        self.shared.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// StackSegment has run what it could. True if nothing is pending any more.
    #[must_use]
    pub(crate) fn merge(&self) -> bool {
        // Ordering: only home reads and writes these two.
        self.merged.store(true, Ordering::Relaxed);
        let change = self.biased.load(Ordering::Relaxed) - BIAS;
        // Ordering: as in `ended`.
        self.shared.fetch_add(change, Ordering::AcqRel) + change == 0
    }

    fn is_merged(&self) -> bool {
        // Ordering: only home asks, and it wrote it.
        self.merged.load(Ordering::Relaxed)
    }

    fn count_biased(&self, change: isize) {
        // Ordering: only home reads and writes it.
        let count = self.biased.load(Ordering::Relaxed) + change;
        self.biased.store(count, Ordering::Relaxed);
    }
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;

    #[test]
    fn nothing_was_spawned() {
        assert!(Pending::new().merge());
    }

    #[test]
    fn all_at_home() {
        let pending = Pending::new();
        pending.spawned(true);
        pending.spawned(true);
        assert!(!pending.ended(true));
        assert!(!pending.ended(true));
        assert!(pending.merge());
    }

    #[test]
    fn the_last_ends_elsewhere() {
        let pending = Pending::new();
        pending.spawned(true);
        pending.spawned(true);
        assert!(!pending.ended(false));
        assert!(!pending.merge());
        assert!(pending.ended(false));
    }

    /// Spawned elsewhere, ended at home: its own count goes below zero.
    #[test]
    fn home_ends_what_others_spawned() {
        let pending = Pending::new();
        pending.spawned(false);
        assert!(!pending.ended(true));
        assert!(pending.merge());
    }

    #[test]
    fn home_goes_on_after_settling() {
        let pending = Pending::new();
        pending.spawned(true);
        assert!(!pending.merge());
        pending.spawned(true);
        assert!(!pending.ended(true));
        assert!(pending.ended(true));
    }
}
