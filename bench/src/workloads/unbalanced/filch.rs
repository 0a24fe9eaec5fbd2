//! The unbalanced tree with filch: a fork at every node.

use super::Subtree;

/// The sum of the hashes in `tree`.
pub(crate) fn walk(tree: Subtree) -> u64 {
    if tree.size == 0 {
        return 0;
    }
    let (left, right) = tree.children();
    let (a, b) = filch::join(|| walk(left), || walk(right));
    tree.hash.wrapping_add(a).wrapping_add(b)
}
