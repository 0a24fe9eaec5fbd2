//! No parallelism at all.

use super::super::measures::Measures;
use super::super::regular::{Regular, Step};

/// `chain:N`: one thread of N instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The number of instructions, at least 1.
    pub length: u64,
}

impl Regular for Chain {
    /// How many instructions are left.
    type Thread = u64;

    fn root(&self) -> u64 {
        self.length
    }

    #[inline]
    fn step(&self, left: &mut u64) -> Step<u64> {
        *left -= 1;
        if *left == 0 { Step::End } else { Step::Work }
    }

    fn measures(&self) -> Measures {
        Measures::of_one_thread(self.length)
    }
}
