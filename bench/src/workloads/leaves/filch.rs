//! Two leaves with filch: a single fork.

use super::leaf;

/// Two leaves.
pub(crate) fn both(spins: u64) -> (u64, u64) {
    filch::join(|| leaf(spins), || leaf(spins))
}
