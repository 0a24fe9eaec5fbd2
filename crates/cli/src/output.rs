//! Standard output.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use filch_report::text_table::TextCell;
use filch_stats::stability::Verdict;
use serde::Serialize;

use crate::failure::Failure;

pub(crate) use filch_report::escape::terminal as printable;

/// Prints `text` as it is.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    write(io::stdout().lock(), text)
}

/// Prints a page for people: in colour on a terminal, unless the environment says otherwise
/// (`NO_COLOR`).
pub(crate) fn print_page(text: &str) -> Result<(), Failure> {
    write(anstream::AutoStream::auto(io::stdout().lock()), text)
}

fn write(mut stdout: impl Write, text: &str) -> Result<(), Failure> {
    let written = stdout.write_all(text.as_bytes());
    let written = written.and_then(|()| stdout.flush());
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

/// `1 processor`, `2 processors`.
pub(crate) fn count(number: u64, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

/// The name of a verdict in its colour.
pub(crate) fn coloured(verdict: Verdict) -> TextCell {
    let colour = match verdict {
        Verdict::Stable => AnsiColor::Green,
        Verdict::Unstable => AnsiColor::Red,
        Verdict::Undecided => AnsiColor::Yellow,
    };
    TextCell::styled(verdict.name(), Style::new().fg_color(Some(colour.into())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_counted() {
        assert_eq!(count(1, "processor"), "1 processor");
        assert_eq!(count(0, "run"), "0 runs");
    }

    #[test]
    fn colours_are_stripped_off_a_terminal() {
        let page = coloured(Verdict::Stable).to_string();
        assert!(page.contains("\u{1b}["));
        let mut plain = anstream::StripStream::new(Vec::new());
        plain.write_all(page.as_bytes()).unwrap();
        assert_eq!(plain.into_inner(), b"stable");
    }
}
