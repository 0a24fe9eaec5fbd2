//! Which build this is.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::Hasher as _;

/// A number that differs between builds: two builds of one version may compute differently.
pub(crate) fn build_number() -> u64 {
    let program = std::env::current_exe().and_then(fs::read);
    let mut hasher = DefaultHasher::new();
    hasher.write(&program.unwrap_or_default());
    hasher.finish()
}
