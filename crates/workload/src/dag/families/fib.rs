//! Fibonacci numbers by double recursion.

use super::super::measures::Measures;
use super::super::regular::{Regular, Step};
use super::fork::Fork;

/// `fib:N`: a thread for n ≥ 2 spawns n − 1 and n − 2 and adds; a thread for 0 or 1 is one
/// instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fib {
    /// Which Fibonacci number.
    pub n: u8,
}

/// A thread of [`Fib`].
#[derive(Clone, Copy, Debug)]
pub struct FibThread {
    n: u8,
    at: Fork,
}

impl FibThread {
    fn new(n: u8) -> Self {
        Self { n, at: Fork::First }
    }
}

impl Regular for Fib {
    type Thread = FibThread;

    fn root(&self) -> FibThread {
        FibThread::new(self.n)
    }

    #[inline]
    fn step(&self, thread: &mut FibThread) -> Step<FibThread> {
        match thread.n {
            0 | 1 => Step::End,
            n => thread.at.step(FibThread::new(n - 1), FibThread::new(n - 2)),
        }
    }

    fn measures(&self) -> Measures {
        if self.n < 2 {
            return Measures::of_one_thread(1);
        }
        // (threads, work, span) of the last two.
        let (mut before, mut last) = ((1, 1, 1), (1, 1, 1));
        for _ in 2..=self.n {
            let next = (
                1 + last.0 + before.0,
                Fork::INSTRUCTIONS + last.1 + before.1,
                Fork::span(last.2, before.2),
            );
            (before, last) = (last, next);
        }
        let (threads, work, span) = last;
        Measures::of_regular(threads, work, span, u64::from(self.n))
    }
}
