//! Two leaves, the plain program.

use super::leaf;

/// Two leaves, one after the other.
pub(crate) fn both(spins: u64) -> (u64, u64) {
    (leaf(spins), leaf(spins))
}
