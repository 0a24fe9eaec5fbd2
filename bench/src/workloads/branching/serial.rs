//! The branching tree, the plain program; it splits children in the same way.

use super::Branch;

/// The sum of the hashes in the tree under `node`.
pub(crate) fn walk(node: Branch) -> u64 {
    let below = match node.children() {
        0 => 0,
        children => split(node.hash, node.height, 0, children),
    };
    node.hash.wrapping_add(below)
}

/// The sum over the children of those numbers, of which there is at least one.
fn split(hash: u64, height: u32, from: u64, to: u64) -> u64 {
    if to - from == 1 {
        return walk(Branch::child(hash, height, from));
    }
    let middle = from.midpoint(to);
    split(hash, height, from, middle).wrapping_add(split(hash, height, middle, to))
}
