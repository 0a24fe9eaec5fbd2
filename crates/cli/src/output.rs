//! Standard output.

use std::io::{self, Write};

use serde::Serialize;

use crate::failure::Failure;

/// Prints `text` as it is.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    written.map_err(|error| Failure::printing(&error))
}

/// Prints `value` as one JSON object.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    print(&json(value))
}

/// `value` as JSON that people can read too.
pub(crate) fn json(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("our values are plain data");
    text.push('\n');
    text
}
