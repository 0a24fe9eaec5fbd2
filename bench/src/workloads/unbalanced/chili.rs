//! The unbalanced tree with chili: a fork at every node.

use chili::Scope;

use super::Subtree;

/// The sum of the hashes in `tree`.
pub(crate) fn walk(s: &mut Scope<'_>, tree: Subtree) -> u64 {
    if tree.size == 0 {
        return 0;
    }
    let (left, right) = tree.children();
    let (a, b) = s.join(|s| walk(s, left), |s| walk(s, right));
    tree.hash.wrapping_add(a).wrapping_add(b)
}
