//! The programs that are counted: workloads of the matrix, in small sizes.

use crate::measure::Plan;
use crate::runtimes::{self, Caller, Kind, Program, Runtime};
use crate::workloads::{Branching, Fib, TreeSum, Walk};

/// A program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    /// Fibonacci.
    Fib,
    /// The sum over a complete tree of boxes.
    Tree,
    /// The walk over a tree of hashes with two children at each node.
    Unbalanced,
    /// The walk over a tree of hashes with up to five children, which binary joins split.
    Branching,
}

const FIB: u64 = 21;
const LAYERS: u32 = 16;
const WALKED: u64 = 50_000;

impl Counted {
    /// All of them, in the order of the table.
    pub(crate) const ALL: [Counted; 4] = [
        Counted::Fib,
        Counted::Tree,
        Counted::Unbalanced,
        Counted::Branching,
    ];

    /// The name in filters.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Counted::Fib => "fib",
            Counted::Tree => "tree",
            Counted::Unbalanced => "unbalanced",
            Counted::Branching => "branching",
        }
    }

    /// What it is, in a line.
    pub(crate) fn about(self) -> &'static str {
        match self {
            Counted::Fib => "fib(21); a node is a call that forks",
            Counted::Tree => "sum over a tree of boxes",
            Counted::Unbalanced => "unbalanced tree, two children, either may be empty",
            Counted::Branching => {
                "unbalanced tree, up to five children split by binary joins, four captures"
            }
        }
    }

    /// How many nodes and how many forks one run has.
    pub(crate) fn size(self) -> (u64, u64) {
        match self {
            Counted::Fib => {
                let forks = Fib::of(FIB).forks();
                (forks, forks)
            }
            Counted::Tree => ((1 << LAYERS) - 1, (1 << LAYERS) - 1),
            Counted::Unbalanced => (WALKED, WALKED),
            Counted::Branching => Branching::small().size(),
        }
    }

    /// Runs it so often on one thread.
    pub(crate) fn repeat(self, runtime: Kind, repeats: u32) {
        let runtime = Runtime::start(runtime, 1, Caller::Joins);
        match self {
            Counted::Fib => run(&runtime, &Fib::of(FIB), repeats),
            Counted::Tree => run(&runtime, &TreeSum::of(LAYERS), repeats),
            Counted::Unbalanced => run(&runtime, &Walk::over(WALKED), repeats),
            Counted::Branching => run(&runtime, &Branching::small(), repeats),
        }
    }
}

fn run<P: Program>(runtime: &Runtime, program: &P, repeats: u32) {
    runtimes::inside(runtime, program, &Plan::mean_of(repeats));
}
