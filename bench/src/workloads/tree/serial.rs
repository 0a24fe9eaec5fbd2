//! Tree sum, the plain program.

use super::TreeNode;

/// The sum of the values in the tree under `node`.
pub(crate) fn sum(node: &TreeNode) -> u64 {
    let left = node.left.as_deref().map(sum).unwrap_or_default();
    let right = node.right.as_deref().map(sum).unwrap_or_default();
    node.value + left + right
}
