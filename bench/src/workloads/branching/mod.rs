//! A tree in the manner of UTS in which a node has up to five children, which binary joins split:
//! every closure captures four variables.

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
use crate::splitmix::mix;

/// A node, which has children unless it is on the ground.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Branch {
    hash: u64,
    height: u32,
}

impl Branch {
    /// How many children the node has: 2.5 on average, above the ground.
    fn children(self) -> u64 {
        if self.height == 0 {
            0
        } else {
            (self.hash >> 32) % 6
        }
    }

    /// The child of that number.
    fn child(hash: u64, height: u32, number: u64) -> Branch {
        Branch {
            hash: mix(hash ^ (number + 1)),
            height: height - 1,
        }
    }
}

/// A walk over the tree, which adds up the hashes.
#[derive(Debug)]
pub(crate) struct Branching {
    root: Branch,
    expected: u64,
    nodes: u64,
    forks: u64,
}

impl Branching {
    /// A tree of some 57,000 nodes.
    pub(crate) fn small() -> Branching {
        Branching::of(11)
    }

    /// A tree of that height; visits all of it, by other means than the measured programs.
    fn of(height: u32) -> Branching {
        let root = Branch {
            hash: mix(5),
            height,
        };
        let (mut expected, mut nodes, mut forks) = (0_u64, 0, 0);
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            expected = expected.wrapping_add(node.hash);
            nodes += 1;
            forks += node.children().saturating_sub(1);
            let child = |number| Branch::child(node.hash, node.height, number);
            open.extend((0..node.children()).map(child));
        }
        Branching {
            root,
            expected,
            nodes,
            forks,
        }
    }

    /// How many nodes and how many forks a walk has.
    pub(crate) fn size(&self) -> (u64, u64) {
        (self.nodes, self.forks)
    }
}

/// The rows of this workload.
pub(crate) fn measure(options: &MatrixOptions) -> Vec<MatrixRow> {
    let program = Branching::of(16);
    let what = format!("walk over {} nodes", program.nodes);
    fork_join(
        options,
        TableGroup::ForkJoin,
        "branching",
        &what,
        &program,
        Sampling::mean_of(1),
    )
}

impl ForkJoinProgram for Branching {
    type State = ();
    type Output = u64;

    fn state(&self) {}
    fn serial(&self, _: &mut ()) -> u64 {
        serial::walk(self.root)
    }
    fn filch(&self, _: &mut ()) -> u64 {
        filch::walk(self.root)
    }
    fn rayon(&self, _: &mut ()) -> u64 {
        rayon::walk(self.root)
    }
    fn chili(&self, scope: &mut ::chili::Scope<'_>, _: &mut ()) -> u64 {
        chili::walk(scope, self.root)
    }
    #[cfg(feature = "forte")]
    fn forte(&self, worker: &::forte::Worker, _: &mut ()) -> u64 {
        forte::walk(worker, self.root)
    }
    fn verify(&self, (): &(), output: u64) {
        assert_eq!(output, self.expected, "the sum of the tree's hashes");
    }
}
