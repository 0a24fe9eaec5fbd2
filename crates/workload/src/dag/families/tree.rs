//! A balanced divide and conquer.

use super::super::measures::Measures;
use super::super::regular::{Regular, Step};
use super::fork::Fork;

/// `tree:DEPTH:GRAIN`: a complete binary tree of threads; each of the 2^DEPTH leaves is GRAIN
/// instructions long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The forks from the root to a leaf.
    pub depth: u8,
    /// The instructions of a leaf, at least 1.
    pub grain: u32,
}

/// A thread of [`Tree`].
#[derive(Clone, Copy, Debug)]
pub enum TreeThread {
    #[doc(hidden)]
    Inner { depth: u8, at: TreeFork },
    #[doc(hidden)]
    Leaf { left: u32 },
}

/// How far an inner thread of [`Tree`] has come.
#[derive(Clone, Copy, Debug)]
pub struct TreeFork(Fork);

impl Tree {
    fn thread(&self, depth: u8) -> TreeThread {
        match depth {
            0 => TreeThread::Leaf { left: self.grain },
            _ => TreeThread::Inner {
                depth,
                at: TreeFork(Fork::First),
            },
        }
    }
}

impl Regular for Tree {
    type Thread = TreeThread;

    fn root(&self) -> TreeThread {
        self.thread(self.depth)
    }

    #[inline]
    fn step(&self, thread: &mut TreeThread) -> Step<TreeThread> {
        match thread {
            TreeThread::Leaf { left: 1 } => Step::End,
            TreeThread::Leaf { left } => {
                *left -= 1;
                Step::Work
            }
            TreeThread::Inner { depth, at } => {
                let child = self.thread(*depth - 1);
                at.0.step(child, child)
            }
        }
    }

    fn measures(&self) -> Measures {
        let leaf = u64::from(self.grain);
        if self.depth == 0 {
            return Measures::of_one_thread(leaf);
        }
        let leaves = 1u64 << self.depth;
        let span = (0..self.depth).fold(leaf, |child, _| Fork::span(child, child));
        Measures::of_regular(
            2 * leaves - 1,
            leaves * leaf + (leaves - 1) * Fork::INSTRUCTIONS,
            span,
            u64::from(self.depth) + 1,
        )
    }
}
