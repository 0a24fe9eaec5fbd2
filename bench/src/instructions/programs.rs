//! The programs that are counted: workloads of the matrix, in small sizes.

use crate::runtimes::{self, Caller, ForkJoinProgram, Runtime, RuntimeKind};
use crate::sampling::Sampling;
use crate::workloads::{Branching, Fib, TreeSum, Walk};

/// A program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CountedProgram {
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

impl CountedProgram {
    /// All of them, in the order of the table.
    pub(crate) const ALL: [CountedProgram; 4] = [
        CountedProgram::Fib,
        CountedProgram::Tree,
        CountedProgram::Unbalanced,
        CountedProgram::Branching,
    ];

    /// The name in filters.
    pub(crate) fn name(self) -> &'static str {
        match self {
            CountedProgram::Fib => "fib",
            CountedProgram::Tree => "tree",
            CountedProgram::Unbalanced => "unbalanced",
            CountedProgram::Branching => "branching",
        }
    }

    /// What it is, in a line.
    pub(crate) fn about(self) -> &'static str {
        match self {
            CountedProgram::Fib => "fib(21); a node is a call that forks",
            CountedProgram::Tree => "sum over a tree of boxes",
            CountedProgram::Unbalanced => "unbalanced tree, two children, either may be empty",
            CountedProgram::Branching => {
                "unbalanced tree, up to five children split by binary joins, four captures"
            }
        }
    }

    /// How many nodes and how many forks one run has.
    pub(crate) fn size(self) -> (u64, u64) {
        match self {
            CountedProgram::Fib => {
                let forks = Fib::of(FIB).forks();
                (forks, forks)
            }
            CountedProgram::Tree => ((1 << LAYERS) - 1, (1 << LAYERS) - 1),
            CountedProgram::Unbalanced => (WALKED, WALKED),
            CountedProgram::Branching => Branching::small().size(),
        }
    }

    /// Runs it so often on one thread.
    pub(crate) fn repeat(self, runtime: RuntimeKind, repeats: u32) {
        let runtime = Runtime::start(runtime, 1, Caller::Joins);
        match self {
            CountedProgram::Fib => run(&runtime, &Fib::of(FIB), repeats),
            CountedProgram::Tree => run(&runtime, &TreeSum::of(LAYERS), repeats),
            CountedProgram::Unbalanced => run(&runtime, &Walk::over(WALKED), repeats),
            CountedProgram::Branching => run(&runtime, &Branching::small(), repeats),
        }
    }
}

fn run<P: ForkJoinProgram>(runtime: &Runtime, program: &P, repeats: u32) {
    runtimes::inside(runtime, program, &Sampling::mean_of(repeats));
}
