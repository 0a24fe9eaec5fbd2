//! A tree in the manner of UTS: it exists only as hashes, and a node's hash says how unevenly the
//! nodes below it are dealt to its two children (a quarter at most goes left).

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

/// Nodes in the tree.
const NODES: u64 = 4_000_000;

/// A node with all that is below it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subtree {
    hash: u64,
    size: u64,
}

impl Subtree {
    /// The two subtrees below the node; either may be empty. The size must not be zero.
    fn children(self) -> (Subtree, Subtree) {
        let below = self.size - 1;
        let share = self.hash >> 34;
        let left = (below * share) >> 32;
        (
            Subtree {
                hash: mix(self.hash ^ 1),
                size: left,
            },
            Subtree {
                hash: mix(self.hash ^ 2),
                size: below - left,
            },
        )
    }
}

/// A walk over the tree.
#[derive(Debug)]
pub(crate) struct Walk {
    root: Subtree,
    expected: u64,
}

impl Walk {
    /// A walk over so many nodes.
    pub(crate) fn over(nodes: u64) -> Walk {
        let root = Subtree {
            hash: mix(1),
            size: nodes,
        };
        let expected = sum_of_hashes(root);
        Walk { root, expected }
    }
}

/// The rows of this workload.
pub(crate) fn measure(options: &MatrixOptions) -> Vec<MatrixRow> {
    let program = Walk::over(NODES);
    let what = format!("walk over {NODES} nodes");
    fork_join(
        options,
        TableGroup::ForkJoin,
        "unbalanced",
        &what,
        &program,
        Sampling::mean_of(1),
    )
}

/// The sum of the hashes, by other means than the measured programs; checks the size as well.
fn sum_of_hashes(root: Subtree) -> u64 {
    let (mut sum, mut nodes) = (0_u64, 0);
    let mut open = vec![root];
    while let Some(tree) = open.pop() {
        if tree.size > 0 {
            sum = sum.wrapping_add(tree.hash);
            nodes += 1;
            let (left, right) = tree.children();
            open.extend([left, right]);
        }
    }
    assert_eq!(nodes, root.size, "nodes of the unbalanced tree");
    sum
}

impl ForkJoinProgram for Walk {
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
