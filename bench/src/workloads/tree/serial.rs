//! Tree sum, the plain program.

use super::Node;

/// The sum of the values in the tree under `node`.
pub(crate) fn sum(node: &Node) -> u64 {
    let left = node.left.as_deref().map(sum).unwrap_or_default();
    let right = node.right.as_deref().map(sum).unwrap_or_default();
    node.value + left + right
}
