//! All ways to put twelve queens on a board. Every safe placement forks off the placements to its
//! right, so that a binary `join` is enough.

mod chili;
mod filch;
#[cfg(feature = "forte")]
mod forte;
mod rayon;
mod serial;

use super::{TableGroup, fork_join};
use crate::matrix::args::MatrixOptions;
use crate::matrix::rounds::MatrixRow;
use crate::runtimes::ForkJoinProgram;
use crate::sampling::Sampling;

/// All twelve columns, as bits.
const FULL: u32 = (1 << 12) - 1;

/// How many ways there are.
const SOLUTIONS: u64 = 14_200;

/// The columns of the next row that the queens above attack, as bits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Board {
    straight: u32,
    leftwards: u32,
    rightwards: u32,
}

impl Board {
    /// The columns of the next row where a queen attacks none above it.
    fn safe(self) -> u32 {
        !(self.straight | self.leftwards | self.rightwards) & FULL
    }

    /// The board after a queen in `column` of the next row.
    fn with(self, column: u32) -> Board {
        Board {
            straight: self.straight | column,
            leftwards: (self.leftwards | column) << 1,
            rightwards: (self.rightwards | column) >> 1,
        }
    }
}

/// The lowest column of `safe`, which must not be empty, and the others.
fn first(safe: u32) -> (u32, u32) {
    let others = safe & (safe - 1);
    (safe ^ others, others)
}

/// Twelve queens.
#[derive(Debug)]
struct Queens;

/// The rows of this workload.
pub(crate) fn measure(options: &MatrixOptions) -> Vec<MatrixRow> {
    fork_join(
        options,
        TableGroup::ForkJoin,
        "queens",
        "12 queens",
        &Queens,
        Sampling::mean_of(1),
    )
}

impl ForkJoinProgram for Queens {
    type State = ();
    type Output = u64;

    fn state(&self) {}
    fn serial(&self, _: &mut ()) -> u64 {
        serial::queens(Board::default())
    }
    fn filch(&self, _: &mut ()) -> u64 {
        filch::queens(Board::default())
    }
    fn rayon(&self, _: &mut ()) -> u64 {
        rayon::queens(Board::default())
    }
    fn chili(&self, scope: &mut ::chili::Scope<'_>, _: &mut ()) -> u64 {
        chili::queens(scope, Board::default())
    }
    #[cfg(feature = "forte")]
    fn forte(&self, worker: &::forte::Worker, _: &mut ()) -> u64 {
        forte::queens(worker, Board::default())
    }
    fn verify(&self, (): &(), output: u64) {
        assert_eq!(output, SOLUTIONS, "ways to place 12 queens");
    }
}
