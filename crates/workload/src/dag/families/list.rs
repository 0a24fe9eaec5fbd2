//! A list that forks at each element.

use super::super::measures::Measures;
use super::super::regular::{Regular, Step};
use super::fork::Fork;

/// `list:N:GRAIN`: each of N threads spawns the rest of the list, then a leaf of GRAIN
/// instructions, and joins with both.
///
/// This is `fn go(n) { join(|| leaf(), || go(n - 1)) }`. All that is ready lies below everything
/// that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct List {
    /// The elements, at least 1.
    pub length: u32,
    /// The instructions of a leaf, at least 1.
    pub grain: u32,
}

/// A thread of [`List`].
#[derive(Clone, Copy, Debug)]
pub enum ListThread {
    #[doc(hidden)]
    Element { rest: u32, at: ListFork },
    #[doc(hidden)]
    Leaf { left: u32 },
}

/// How far an element of [`List`] has come.
#[derive(Clone, Copy, Debug)]
pub struct ListFork(Fork);

impl List {
    fn from(rest: u32) -> ListThread {
        match rest {
            0 => ListThread::Leaf { left: 1 },
            _ => ListThread::Element {
                rest,
                at: ListFork(Fork::First),
            },
        }
    }
}

impl Regular for List {
    type Thread = ListThread;

    fn root(&self) -> ListThread {
        Self::from(self.length)
    }

    #[inline]
    fn step(&self, thread: &mut ListThread) -> Step<ListThread> {
        match thread {
            ListThread::Leaf { left: 1 } => Step::End,
            ListThread::Leaf { left } => {
                *left -= 1;
                Step::Work
            }
            ListThread::Element { rest, at } => {
                let leaf = ListThread::Leaf { left: self.grain };
                at.0.step(Self::from(*rest - 1), leaf)
            }
        }
    }

    fn measures(&self) -> Measures {
        let (length, grain) = (u64::from(self.length), u64::from(self.grain));
        let span = (0..self.length).fold(1, |rest, _| Fork::span(rest, grain));
        Measures::of_regular(
            2 * length + 1,
            length * (Fork::INSTRUCTIONS + grain) + 1,
            span,
            length + 1,
        )
    }
}
