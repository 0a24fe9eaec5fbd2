//! The unbalanced tree with forte: a fork at every node.

use forte::Worker;

use super::Subtree;

/// The sum of the hashes in `tree`.
pub(crate) fn walk(w: &Worker, tree: Subtree) -> u64 {
    if tree.size == 0 {
        return 0;
    }
    let (left, right) = tree.children();
    let (a, b) = w.join(|w| walk(w, left), |w| walk(w, right));
    tree.hash.wrapping_add(a).wrapping_add(b)
}
