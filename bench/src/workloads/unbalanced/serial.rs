//! The unbalanced tree, the plain program.

use super::Subtree;

/// The sum of the hashes in `tree`.
pub(crate) fn walk(tree: Subtree) -> u64 {
    if tree.size == 0 {
        return 0;
    }
    let (left, right) = tree.children();
    tree.hash.wrapping_add(walk(left)).wrapping_add(walk(right))
}
