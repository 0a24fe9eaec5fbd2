//! The sum over a complete binary tree of boxes: the program in the READMEs of chili and forte.

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

/// A node of the tree.
#[derive(Debug)]
pub(crate) struct TreeNode {
    value: u64,
    left: Option<Box<TreeNode>>,
    right: Option<Box<TreeNode>>,
}

impl TreeNode {
    /// A complete tree of so many layers, at least one, with a 1 in each node. It is allocated
    /// layer by layer: some runtimes go left first and others right, and memory in the order of
    /// either walk would favour one of them.
    fn complete(layers: u32) -> TreeNode {
        let node = |left, right| TreeNode {
            value: 1,
            left,
            right,
        };
        let mut layer: Vec<Option<Box<TreeNode>>> = (0..1 << layers).map(|_| None).collect();
        while layer.len() > 2 {
            let pairs = layer.chunks_exact_mut(2);
            layer = pairs
                .map(|pair| Some(Box::new(node(pair[0].take(), pair[1].take()))))
                .collect();
        }
        node(layer[0].take(), layer[1].take())
    }
}

/// The sum over a complete tree.
#[derive(Debug)]
pub(crate) struct TreeSum {
    root: TreeNode,
    nodes: u64,
}

impl TreeSum {
    /// The sum over a tree of so many layers.
    pub(crate) fn of(layers: u32) -> TreeSum {
        TreeSum {
            root: TreeNode::complete(layers),
            nodes: (1 << layers) - 1,
        }
    }
}

/// The rows for a tree of `layers` layers.
pub(crate) fn measure(options: &MatrixOptions, name: &'static str, layers: u32) -> Vec<MatrixRow> {
    let program = TreeSum::of(layers);
    let nodes = program.nodes;
    // A sample of small trees lasts as long as a million nodes do.
    let repeats = (1_000_000 / nodes).max(1) as u32;
    let what = format!("sum of {nodes} nodes");
    fork_join(
        options,
        TableGroup::ForkJoin,
        name,
        &what,
        &program,
        Sampling::mean_of(repeats),
    )
}

impl ForkJoinProgram for TreeSum {
    type State = ();
    type Output = u64;

    fn state(&self) {}
    fn serial(&self, _: &mut ()) -> u64 {
        serial::sum(&self.root)
    }
    fn filch(&self, _: &mut ()) -> u64 {
        filch::sum(&self.root)
    }
    fn rayon(&self, _: &mut ()) -> u64 {
        rayon::sum(&self.root)
    }
    fn chili(&self, scope: &mut ::chili::Scope<'_>, _: &mut ()) -> u64 {
        chili::sum(scope, &self.root)
    }
    #[cfg(feature = "forte")]
    fn forte(&self, worker: &::forte::Worker, _: &mut ()) -> u64 {
        forte::sum(worker, &self.root)
    }
    fn verify(&self, (): &(), output: u64) {
        assert_eq!(output, self.nodes, "the sum of a tree of ones");
    }
}
