//! Two leaves with forte: a single fork.

use forte::Worker;

use super::leaf;

/// Two leaves.
pub(crate) fn both(w: &Worker, spins: u64) -> (u64, u64) {
    w.join(|_| leaf(spins), |_| leaf(spins))
}
