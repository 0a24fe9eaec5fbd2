//! `filch theory` and `filch limit`, and the flags of every command.

use filch_cli::{Failure, asked};
use pyo3::prelude::*;

use crate::attend::attend;

/// Answers on a thread of their own, so that Ctrl-C ends the wait for one that takes long.
pub(crate) fn answer(
    py: Python<'_>,
    words: Vec<String>,
    of: fn(&[String]) -> Result<String, Failure>,
) -> PyResult<String> {
    attend(py, None, move |_| of(&words))
}

/// `filch theory natural`.
#[pyfunction]
pub(crate) fn theory_natural(py: Python<'_>, words: Vec<String>) -> PyResult<String> {
    answer(py, words, asked::theory_natural)
}

/// `filch theory dag`.
#[pyfunction]
pub(crate) fn theory_dag(py: Python<'_>, words: Vec<String>) -> PyResult<String> {
    answer(py, words, asked::theory_dag)
}

/// `filch limit`.
#[pyfunction]
pub(crate) fn limit(py: Python<'_>, words: Vec<String>) -> PyResult<String> {
    answer(py, words, asked::limit)
}

/// The flags of a command: names, defaults and whether they are required.
#[pyfunction]
pub(crate) fn flags(path: Vec<String>) -> Option<Vec<(String, Option<String>, bool)>> {
    let flags = asked::flags(&path)?.into_iter();
    Some(
        flags
            .map(|flag| (flag.name, flag.default, flag.required))
            .collect(),
    )
}
