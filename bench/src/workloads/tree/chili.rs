//! Tree sum with chili: a fork at every node, leaves too.

use chili::Scope;

use super::TreeNode;

/// The sum of the values in the tree under `node`.
pub(crate) fn sum(s: &mut Scope<'_>, node: &TreeNode) -> u64 {
    let (left, right) = s.join(
        |s| node.left.as_deref().map(|n| sum(s, n)).unwrap_or_default(),
        |s| node.right.as_deref().map(|n| sum(s, n)).unwrap_or_default(),
    );
    node.value + left + right
}
