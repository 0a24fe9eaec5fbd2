//! The program `filch`, as the package installs it.

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;

/// Does what the words say, the name of the program first, and returns the exit code. `library` is
/// the file of this extension.
#[pyfunction]
pub(crate) fn program(py: Python<'_>, library: PathBuf, words: Vec<OsString>) -> u8 {
    filch_cli::loaded_from(library);
    py.detach(|| filch_cli::main(words.into_iter()))
}
