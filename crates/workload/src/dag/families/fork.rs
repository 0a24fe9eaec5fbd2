//! The thread that most families are made of: spawn, spawn, work, join.

use super::super::regular::Step;

/// How far a thread of four instructions has come that spawns two children and joins with both.
///
/// The third instruction is there because no join edge may enter the one right after a spawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fork {
    First,
    Second,
    Between,
    Sum,
}

impl Fork {
    /// The instructions of such a thread.
    pub(super) const INSTRUCTIONS: u64 = 4;

    #[inline]
    pub(super) fn step<T>(&mut self, first: T, second: T) -> Step<T> {
        let (next, step) = match self {
            Self::First => (Self::Second, Step::Spawn(first)),
            Self::Second => (Self::Between, Step::Spawn(second)),
            Self::Between => (Self::Sum, Step::ThenJoin),
            Self::Sum => (Self::Sum, Step::End),
        };
        *self = next;
        step
    }

    /// The instructions on a longest path through such a thread, given those of its children.
    pub(super) fn span(first: u64, second: u64) -> u64 {
        // first spawn → first child → sum; both spawns → second child → sum; or the thread itself.
        (first + 2).max(second + 3).max(Self::INSTRUCTIONS)
    }
}
