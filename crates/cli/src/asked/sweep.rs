//! `filch sweep`.

use filch_experiments::sweep::{Plan, Table, Value};

use super::{other, read};
use crate::args::Command;
use crate::failure::Failure;
use crate::sweep;

/// The plan of the sweep file that the words name.
///
/// # Errors
///
/// If the words are refused, or the file cannot be read or makes no sense.
pub fn sweep_plan(words: &[String]) -> Result<Plan, Failure> {
    match read(words)? {
        Command::Sweep(options) => sweep::plan(&options),
        _ => Err(other(words)),
    }
}

/// The plan of a sweep file in its canonical form ([`Plan::canonical`]).
///
/// # Errors
///
/// If the text is no sweep file.
pub fn canonical_plan(text: &str) -> Result<Plan, Failure> {
    sweep::canonical_plan(text)
}

/// The values of a range in a sweep file.
///
/// # Errors
///
/// With a sentence, if they are no numbers, the range goes nowhere, or has too many values.
pub fn sweep_range(from: &Value, to: &Value, step: &Value) -> Result<Vec<Value>, String> {
    sweep::range(from, to, step)
}

/// The files of results that `filch sweep` writes, names and contents.
pub fn sweep_files(table: &Table<'_>) -> [(&'static str, Vec<u8>); 3] {
    sweep::contents(table)
}
