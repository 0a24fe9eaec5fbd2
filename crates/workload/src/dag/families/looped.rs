//! A loop whose iterations are spawned one after the other.

use super::super::measures::Measures;
use super::super::regular::{Regular, Step};

/// `loop:N:GRAIN`: a thread spawns N children of GRAIN instructions each, and joins with all of
/// them in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The iterations, at least 1.
    pub iterations: u32,
    /// The instructions of an iteration, at least 1.
    pub grain: u32,
}

/// A thread of [`Loop`].
#[derive(Clone, Copy, Debug)]
pub enum LoopThread {
    #[doc(hidden)]
    Spawns { left: u32 },
    #[doc(hidden)]
    Joins,
    #[doc(hidden)]
    Iteration { left: u32 },
}

impl Regular for Loop {
    type Thread = LoopThread;

    fn root(&self) -> LoopThread {
        LoopThread::Spawns {
            left: self.iterations,
        }
    }

    #[inline]
    fn step(&self, thread: &mut LoopThread) -> Step<LoopThread> {
        match thread {
            LoopThread::Spawns { left: 0 } => {
                *thread = LoopThread::Joins;
                Step::ThenJoin
            }
            LoopThread::Spawns { left } => {
                *left -= 1;
                Step::Spawn(LoopThread::Iteration { left: self.grain })
            }
            LoopThread::Iteration { left } if *left > 1 => {
                *left -= 1;
                Step::Work
            }
            LoopThread::Joins | LoopThread::Iteration { .. } => Step::End,
        }
    }

    fn measures(&self) -> Measures {
        let (iterations, grain) = (u64::from(self.iterations), u64::from(self.grain));
        // All spawns → the last iteration, or the instruction between → the last instruction.
        let span = iterations + grain + 1;
        Measures::of_regular(iterations + 1, iterations * (1 + grain) + 2, span, 2)
    }
}
