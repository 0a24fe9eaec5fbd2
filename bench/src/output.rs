//! Output that the programs of this library share: progress, refusals, JSON, CSV, tables, numbers.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use filch_report::markdown_table::Align;
use serde::Serialize;

/// Says on standard error what goes on. A closed standard error is no reason to stop.
pub(crate) fn progress(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Refuses the arguments with a line that says what to type instead.
pub(crate) fn refuse(message: &str) -> ExitCode {
    progress(message);
    ExitCode::from(2)
}

/// Success for a reader that closed the pipe early; for any other failure to write, one line on
/// standard error.
pub(crate) fn exit_code(written: io::Result<()>) -> ExitCode {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            progress(&format!("cannot write the results: {error}"));
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// One JSON object on standard output.
pub(crate) fn json(value: &impl Serialize) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, value)?;
    writeln!(out)
}

/// The file `name` in `folder`: a line for each of `records` below their names.
pub(crate) fn csv<R: Serialize>(
    folder: &Path,
    name: &str,
    records: impl IntoIterator<Item = R>,
) -> io::Result<()> {
    let mut file = csv::Writer::from_path(folder.join(name))?;
    for record in records {
        file.serialize(record)?;
    }
    file.flush()
}

/// Checks before the run that `folder` can take files after it.
pub(crate) fn check_folder(folder: Option<&Path>) -> Result<(), String> {
    match folder {
        Some(folder) if !folder.is_dir() => Err(format!(
            "--csv {}: no such folder; make it first",
            folder.display()
        )),
        _ => Ok(()),
    }
}

/// Whether one of `filters` is a part of `name`; without filters every name is wanted.
pub(crate) fn is_wanted(name: &str, filters: &[String]) -> bool {
    filters.is_empty() || filters.iter().any(|filter| name.contains(&**filter))
}

/// Those of `all` whose name contains one of `filters`. The error is one line for the user, which
/// ends in `instead`.
pub(crate) fn wanted<T>(
    all: impl IntoIterator<Item = T>,
    name: impl Fn(&T) -> &str,
    filters: &[String],
    what: &str,
    instead: &str,
) -> Result<Vec<T>, String> {
    let mut wanted: Vec<T> = all.into_iter().collect();
    wanted.retain(|one| is_wanted(name(one), filters));
    if wanted.is_empty() {
        return Err(format!("no {what} matches {filters:?}; {instead}"));
    }
    Ok(wanted)
}

/// `value` to four significant digits, for files: more would not repeat.
pub(crate) fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

/// The columns of a Markdown table: words first, then numbers.
pub(crate) fn columns<'a>(
    words: impl IntoIterator<Item = &'a str>,
    numbers: impl IntoIterator<Item = &'a str>,
) -> Vec<(&'a str, Align)> {
    let words = words.into_iter().map(|title| (title, Align::Left));
    let numbers = numbers.into_iter().map(|title| (title, Align::Right));
    words.chain(numbers).collect()
}

#[cfg(test)]
mod tests {
    use super::{is_wanted, rounded};

    #[test]
    fn four_significant_digits_are_kept() {
        assert_eq!(rounded(1234.567), 1235.0);
        assert_eq!(rounded(0.000_123_456), 0.000_123_5);
        assert_eq!(rounded(0.0), 0.0);
        assert!(rounded(f64::NAN).is_nan());
    }

    #[test]
    fn filters_are_parts_of_names() {
        let filters = ["list".to_owned(), "scope".to_owned()];
        assert!(is_wanted("scope-1:10", &filters));
        assert!(!is_wanted("halving-1:10", &filters));
        assert!(is_wanted("anything", &[]));
    }
}
