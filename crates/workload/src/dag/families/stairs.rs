//! Stairs beside plain work: the computation that needs the most workers.

use super::super::measures::Measures;
use super::super::regular::{Regular, Step};

/// `stairs:N:FILLERS:GRAIN`: a scope spawns a flight of N stairs and FILLERS leaves of GRAIN
/// instructions. A stair works for GRAIN instructions, spawns the next one, then a leaf of GRAIN
/// instructions, and joins with both.
///
/// While a stolen stair works, there is nothing to steal below the one that waits for it, and there
/// are fillers elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stairs {
    /// The stairs, at least 1.
    pub stairs: u32,
    /// The leaves beside them.
    pub fillers: u32,
    /// The instructions of each, at least 1.
    pub grain: u32,
}

/// A thread of [`Stairs`].
#[derive(Clone, Copy, Debug)]
pub enum StairsThread {
    #[doc(hidden)]
    Scope { left: u32 },
    #[doc(hidden)]
    Stair { works: u32, rest: u32 },
    #[doc(hidden)]
    Forked,
    #[doc(hidden)]
    Between,
    #[doc(hidden)]
    Last,
    #[doc(hidden)]
    Leaf { left: u32 },
}

impl Stairs {
    fn stair(&self, rest: u32) -> StairsThread {
        match rest {
            0 => StairsThread::Leaf { left: self.grain },
            _ => StairsThread::Stair {
                works: self.grain,
                rest,
            },
        }
    }

    fn leaf(&self) -> StairsThread {
        StairsThread::Leaf { left: self.grain }
    }
}

impl Regular for Stairs {
    type Thread = StairsThread;

    fn root(&self) -> StairsThread {
        StairsThread::Scope {
            left: self.fillers + 1,
        }
    }

    #[inline]
    fn step(&self, thread: &mut StairsThread) -> Step<StairsThread> {
        use StairsThread as T;
        let (next, step) = match *thread {
            T::Leaf { left: 1 } | T::Last => return Step::End,
            T::Leaf { left } => (T::Leaf { left: left - 1 }, Step::Work),
            T::Scope { left: 0 } | T::Between => (T::Last, Step::ThenJoin),
            T::Scope { left } => {
                // The stairs come first, and a thief takes what was spawned first.
                let child = if left > self.fillers {
                    self.stair(self.stairs)
                } else {
                    self.leaf()
                };
                (T::Scope { left: left - 1 }, Step::Spawn(child))
            }
            T::Stair { works: 0, rest } => (T::Forked, Step::Spawn(self.stair(rest - 1))),
            T::Stair { works, rest } => (
                T::Stair {
                    works: works - 1,
                    rest,
                },
                Step::Work,
            ),
            T::Forked => (T::Between, Step::Spawn(self.leaf())),
        };
        *thread = next;
        step
    }

    fn measures(&self) -> Measures {
        let [stairs, fillers, grain] = [self.stairs, self.fillers, self.grain].map(u64::from);
        // Work, two spawns, the instruction between, the join.
        let stair = grain + 4;
        let flight = (0..stairs).fold(grain, |below, _| {
            (grain + 1 + below + 1).max(grain + 2 + grain + 1)
        });
        let span = (1 + flight + 1)
            .max(fillers + 1 + grain * u64::from(fillers > 0) + 1)
            .max(fillers + 3);
        Measures::of_regular(
            2 + 2 * stairs + fillers,
            stairs * (stair + grain) + grain + fillers * grain + fillers + 3,
            span,
            stairs + 2,
        )
    }
}
