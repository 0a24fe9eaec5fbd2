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
    home: AtomicIsize,
    /// Written by home alone.
    settled: AtomicBool,
    /// Spawned less ended everywhere else, with the bias until home has settled.
    common: AtomicIsize,
}

/// More than there can be children.
const BIAS: isize = isize::MAX / 2;

impl Pending {
    pub(crate) fn new() -> Self {
        Self {
            home: AtomicIsize::new(0),
            settled: AtomicBool::new(false),
            common: AtomicIsize::new(BIAS),
        }
    }

    /// A child was spawned, at home or not.
    pub(crate) fn spawned(&self, at_home: bool) {
        if at_home && !self.is_settled() {
            self.count_at_home(1);
        } else {
            // Ordering: the count only has to be above zero until the child has ended, which the caller
            // sees to: it is a child that is counted itself, or comes before home settles.
            self.common.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A child has ended, at home or not. True if nothing is pending any more; if false, the caller
    /// must not touch the scope again, unless it is home.
    #[must_use]
    pub(crate) fn ended(&self, at_home: bool) -> bool {
        if at_home && !self.is_settled() {
            self.count_at_home(-1);
            return false;
        }
        // Ordering: Release makes what the child did visible to the last one to end, or to home when it
        // settles; Acquire lets the last one pass it on through the latch.
        self.common.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Home has run what it could. True if nothing is pending any more.
    #[must_use]
    pub(crate) fn settle(&self) -> bool {
        // Ordering: only home reads and writes these two.
        self.settled.store(true, Ordering::Relaxed);
        let change = self.home.load(Ordering::Relaxed) - BIAS;
        // Ordering: as in `ended`.
        self.common.fetch_add(change, Ordering::AcqRel) + change == 0
    }

    fn is_settled(&self) -> bool {
        // Ordering: only home asks, and it wrote it.
        self.settled.load(Ordering::Relaxed)
    }

    fn count_at_home(&self, change: isize) {
        // Ordering: only home reads and writes it.
        let count = self.home.load(Ordering::Relaxed) + change;
        self.home.store(count, Ordering::Relaxed);
    }
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;

    #[test]
    fn nothing_was_spawned() {
        assert!(Pending::new().settle());
    }

    #[test]
    fn all_at_home() {
        let pending = Pending::new();
        pending.spawned(true);
        pending.spawned(true);
        assert!(!pending.ended(true));
        assert!(!pending.ended(true));
        assert!(pending.settle());
    }

    #[test]
    fn the_last_ends_elsewhere() {
        let pending = Pending::new();
        pending.spawned(true);
        pending.spawned(true);
        assert!(!pending.ended(false));
        assert!(!pending.settle());
        assert!(pending.ended(false));
    }

    /// Spawned elsewhere, ended at home: its own count goes below zero.
    #[test]
    fn home_ends_what_others_spawned() {
        let pending = Pending::new();
        pending.spawned(false);
        assert!(!pending.ended(true));
        assert!(pending.settle());
    }

    #[test]
    fn home_goes_on_after_settling() {
        let pending = Pending::new();
        pending.spawned(true);
        assert!(!pending.settle());
        pending.spawned(true);
        assert!(!pending.ended(true));
        assert!(pending.ended(true));
    }
}
