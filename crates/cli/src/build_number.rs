//! Which build this is.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use sha2::{Digest as _, Sha256};

static LIBRARY: OnceLock<PathBuf> = OnceLock::new();

/// Says that this code is in a library that another program has loaded, and in which file. Only the
/// first call counts.
pub fn loaded_from(library: PathBuf) {
    LIBRARY.get_or_init(|| library);
}

/// A number that differs between builds: two builds of one version may compute differently.
pub(crate) fn build_number() -> u64 {
    let file = LIBRARY.get().cloned().map_or_else(env::current_exe, Ok);
    let code = file.and_then(fs::read);
    let digest = Sha256::digest(code.unwrap_or_default());
    digest
        .iter()
        .take(8)
        .fold(0, |number, &byte| number << 8 | u64::from(byte))
}
