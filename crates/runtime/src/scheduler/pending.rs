//! How many children of a scope have not ended.

use crate::sync::atomic::{AtomicBool, AtomicIsize, Ordering};

/// The number of children of a scope that have not ended.
///
/// Most children are spawned and run by the worker that opened the scope, its *owner*. One atomic
/// read-modify-write for the spawn and one for the end would cost more than all the rest. So this
/// is a biased counter, as in the biased reference counting of Choi, Shull and Torrellas (PACT
/// 2018). The owner counts in a word of its own until it has nothing more to run, and then
/// *merges*: it adds its count to the shared one, from which a large [`BIAS`] is subtracted at the
/// same time. Before that the shared count cannot reach zero. After that all workers use it, and
/// the one that brings it to zero is the last.
pub(crate) struct Pending {
    /// Spawned less ended by the owner. Negative if the owner has ended what others spawned.
    biased: AtomicIsize,
    /// Whether the owner has merged. Written by the owner alone.
    merged: AtomicBool,
    /// Spawned less ended by other workers, plus `BIAS` until the owner has merged.
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

    /// A child was spawned, by the owner or not.
    pub(crate) fn spawned(&self, by_owner: bool) {
        if by_owner && !self.is_merged() {
            self.count_biased(1);
        } else {
            // Ordering: the count only has to stay above zero until the child has ended, and the
            // caller ensures that. It is a child that is counted itself, or it comes before the
            // owner merges.
            self.shared.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A child has ended, on the owner or not. True if none is left. If false, the caller must not
    /// touch the scope again, unless it is the owner.
    #[must_use]
    pub(crate) fn ended(&self, by_owner: bool) -> bool {
        if by_owner && !self.is_merged() {
            self.count_biased(-1);
            return false;
        }
        // Ordering: Release makes what the child wrote visible to the last child to end, or to the
        // owner when it merges. Acquire lets the last child pass it on through the latch.
        self.shared.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// The owner has run what it could. True if no child is left.
    #[must_use]
    pub(crate) fn merge(&self) -> bool {
        // Ordering: only the owner reads and writes these two.
        self.merged.store(true, Ordering::Relaxed);
        let change = self.biased.load(Ordering::Relaxed) - BIAS;
        // Ordering: as in `ended`.
        self.shared.fetch_add(change, Ordering::AcqRel) + change == 0
    }

    fn is_merged(&self) -> bool {
        // Ordering: only the owner calls this, and it wrote the flag.
        self.merged.load(Ordering::Relaxed)
    }

    fn count_biased(&self, change: isize) {
        // Ordering: only the owner reads and writes it.
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
    fn all_by_the_owner() {
        let pending = Pending::new();
        pending.spawned(true);
        pending.spawned(true);
        assert!(!pending.ended(true));
        assert!(!pending.ended(true));
        assert!(pending.merge());
    }

    #[test]
    fn the_last_ends_on_another_worker() {
        let pending = Pending::new();
        pending.spawned(true);
        pending.spawned(true);
        assert!(!pending.ended(false));
        assert!(!pending.merge());
        assert!(pending.ended(false));
    }

    /// Spawned by others, ended by the owner: the biased count becomes negative.
    #[test]
    fn the_owner_ends_what_others_spawned() {
        let pending = Pending::new();
        pending.spawned(false);
        assert!(!pending.ended(true));
        assert!(pending.merge());
    }

    #[test]
    fn the_owner_goes_on_after_merging() {
        let pending = Pending::new();
        pending.spawned(true);
        assert!(!pending.merge());
        pending.spawned(true);
        assert!(!pending.ended(true));
        assert!(pending.ended(true));
    }
}
