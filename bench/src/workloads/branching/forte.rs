//! The branching tree with forte: forks split the children of a node.

use forte::Worker;

use super::Branch;

/// The sum of the hashes in the tree under `node`.
pub(crate) fn walk(w: &Worker, node: Branch) -> u64 {
    let below = match node.children() {
        0 => 0,
        children => split(w, node.hash, node.height, 0, children),
    };
    node.hash.wrapping_add(below)
}

/// The sum over the children of those numbers, of which there is at least one.
fn split(w: &Worker, hash: u64, height: u32, from: u64, to: u64) -> u64 {
    if to - from == 1 {
        return walk(w, Branch::child(hash, height, from));
    }
    let middle = from.midpoint(to);
    let (a, b) = w.join(
        |w| split(w, hash, height, from, middle),
        |w| split(w, hash, height, middle, to),
    );
    a.wrapping_add(b)
}
