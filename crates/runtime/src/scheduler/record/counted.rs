//! Joins that are counted and not timed: nothing but a number is written for them.

use core::cell::Cell;

use filch_profile::Kind;

use super::clock::now;
use super::join::JoinRecord;
use super::root::Origin;
use super::site::SiteKey;
use super::state::State;
use super::task::Summary;

thread_local! {
    static COUNTING: Counting = const {
        Counting {
            key: Cell::new(0),
            left: Cell::new(0),
            forker: Cell::new(Forker::NONE),
        }
    };
}

/// Which forks of this thread are counted.
struct Counting {
    /// Of their site; zero if none are.
    key: Cell<u64>,
    /// How many more may be.
    left: Cell<u32>,
    forker: Cell<Forker>,
}

/// What a thief is told of a fork that was counted: as much as can be copied at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Forker {
    pub(super) epoch: u32,
    pub(super) site: u32,
    pub(super) thread: u32,
    /// `u32::MAX` if none.
    pub(super) stretch: u32,
}

impl Forker {
    /// Of forks that no thief takes.
    pub(super) const NONE: Self = Self {
        epoch: 0,
        site: 0,
        thread: 0,
        stretch: u32::MAX,
    };
}

/// A join that is counted.
pub(crate) struct Counted(());

/// Counts a join of closures of that type, if such joins are counted at present.
#[inline(always)]
pub(crate) fn counted<F>() -> Option<Counted> {
    let key = SiteKey::of::<F>(Kind::Join).hash;
    COUNTING.with(|counting| {
        if counting.key.get() != key {
            return None;
        }
        let left = counting.left.get() - 1;
        counting.left.set(left);
        if left == 0 {
            counting.key.set(0);
        }
        Some(Counted(()))
    })
}

impl JoinRecord for Counted {
    type Origin = Forker;

    #[inline(always)]
    fn origin(&self) -> Forker {
        COUNTING.with(|counting| counting.forker.get())
    }

    #[inline(always)]
    fn first_ended(&mut self) {}

    #[inline(always)]
    fn end(self) {}

    fn end_stolen(self, second: Summary) {
        State::with(|state| state.joined_stolen(&second));
    }
}

impl From<Forker> for Origin {
    /// Forked shortly before, which is all that is known.
    fn from(forker: Forker) -> Self {
        Self::of_counted(forker, now())
    }
}

/// Counts up to `budget` forks of that site from now on.
pub(super) fn begin(key: u64, budget: u32, forker: Forker) {
    COUNTING.with(|counting| {
        counting.key.set(if budget == 0 { 0 } else { key });
        counting.left.set(budget);
        counting.forker.set(forker);
    });
}

/// Counts no more: how many might still have been counted.
pub(super) fn end() -> u32 {
    COUNTING.with(|counting| {
        counting.key.set(0);
        counting.left.get()
    })
}
