//! Two leaves with chili: a single fork.

use chili::Scope;

use super::leaf;

/// Two leaves.
pub(crate) fn both(s: &mut Scope<'_>, spins: u64) -> (u64, u64) {
    s.join(|_| leaf(spins), |_| leaf(spins))
}
