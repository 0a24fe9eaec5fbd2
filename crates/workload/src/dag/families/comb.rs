//! Deep and thin: the stack depth grows with the work.

use super::super::measures::Measures;
use super::super::regular::{Regular, Step};
use super::fork::Fork;

/// `comb:N`: N threads one below the other, each of which also spawns a tooth of one instruction;
/// the lowest of them spawns two.
///
/// Its parallelism stays below 2.5 however large it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comb {
    /// The number of threads in the spine, at least 1.
    pub spine: u32,
}

/// A thread of [`Comb`].
#[derive(Clone, Copy, Debug)]
pub struct CombThread {
    /// How many threads of the spine begin here; a tooth has none.
    spine: u32,
    at: Fork,
}

impl CombThread {
    fn new(spine: u32) -> Self {
        Self {
            spine,
            at: Fork::First,
        }
    }
}

impl Regular for Comb {
    type Thread = CombThread;

    fn root(&self) -> CombThread {
        CombThread::new(self.spine)
    }

    #[inline]
    fn step(&self, thread: &mut CombThread) -> Step<CombThread> {
        match thread.spine {
            0 => Step::End,
            spine => thread
                .at
                .step(CombThread::new(spine - 1), CombThread::new(0)),
        }
    }

    fn measures(&self) -> Measures {
        let spine = u64::from(self.spine);
        let span = (0..self.spine).fold(1, |below, _| Fork::span(below, 1));
        Measures::of_regular(
            2 * spine + 1,
            spine * (Fork::INSTRUCTIONS + 1) + 1,
            span,
            spine + 1,
        )
    }
}
