//! Tree sum with filch: a fork at every node, leaves too.

use super::TreeNode;

/// The sum of the values in the tree under `node`.
pub(crate) fn sum(node: &TreeNode) -> u64 {
    let (left, right) = filch::join(
        || node.left.as_deref().map(sum).unwrap_or_default(),
        || node.right.as_deref().map(sum).unwrap_or_default(),
    );
    node.value + left + right
}
