//! Tree sum with forte: a fork at every node, leaves too.

use forte::Worker;

use super::TreeNode;

/// The sum of the values in the tree under `node`.
pub(crate) fn sum(w: &Worker, node: &TreeNode) -> u64 {
    let (left, right) = w.join(
        |w| node.left.as_deref().map(|n| sum(w, n)).unwrap_or_default(),
        |w| node.right.as_deref().map(|n| sum(w, n)).unwrap_or_default(),
    );
    node.value + left + right
}
