//! Two leaves with rayon: a single fork.

use super::leaf;

/// Two leaves.
pub(crate) fn both(spins: u64) -> (u64, u64) {
    rayon::join(|| leaf(spins), || leaf(spins))
}
