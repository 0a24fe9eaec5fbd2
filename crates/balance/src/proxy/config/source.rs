//! Errors, and the lines of the file that they are about.

use std::fmt;
use std::ops::Range;
use std::string::FromUtf8Error;

/// Why a configuration cannot be used: one line that names file, line and field and says what is
/// allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError(String);

impl ConfigError {
    /// An error about the whole file, or about something outside of it.
    pub(crate) fn about(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConfigError {}

/// The name and the text of a file.
pub(super) struct Source<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
}

impl Source<'_> {
    /// The error about `field` at this offset in the text.
    pub(super) fn refuse(&self, at: usize, field: &str, problem: impl fmt::Display) -> ConfigError {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        ConfigError(format!("{}, line {line}: {field}: {problem}", self.file))
    }

    /// The error of the TOML parser, with the field that it is about and without Rust's type names.
    pub(super) fn malformed(&self, error: &toml::de::Error) -> ConfigError {
        let span = error.span().unwrap_or(0..0);
        let message = error
            .message()
            .replace('\n', ", ")
            .replace("expected i64", "expected a whole number")
            .replace("expected f64", "expected a number")
            .replace("expected a sequence", "expected a list")
            .replace("expected a map", "expected a table")
            .replace("expected a borrowed string", "expected a string");
        let message = match message.split_once("expected struct ") {
            Some((before, _)) => format!("{before}expected a table"),
            None => message,
        };
        if let Some(field) = message.strip_prefix("missing field ") {
            let field = field.trim_matches('`');
            let table = self.table_at(&span);
            let path = if table.is_empty() {
                field.to_owned()
            } else {
                format!("{table}.{field}")
            };
            return self.refuse(span.start, &path, "it is missing: add it");
        }
        let field = self.key_at(&span);
        self.refuse(span.start, field.unwrap_or("malformed"), message)
    }

    /// The name of the table that is at this place; empty at the root.
    fn table_at(&self, span: &Range<usize>) -> String {
        let rest = self.text.get(span.start..);
        let inline = rest.is_some_and(|rest| rest.starts_with('{'));
        let end = if inline { span.start } else { span.end };
        let before = self.text.get(..end).unwrap_or(self.text);
        // The header of the table, or of the table that an inline table is in.
        let mut headers = before
            .lines()
            .map(str::trim)
            .filter(|line| line.starts_with('['));
        let last = headers.next_back().filter(|_| inline || span.start > 0);
        let table = last.map_or("", |line| {
            let name = line.trim_start_matches('[');
            name.split(']').next().unwrap_or("").trim()
        });
        match self.key_at(span).filter(|_| inline) {
            Some(key) if table.is_empty() => key.to_owned(),
            Some(key) => format!("{table}.{key}"),
            None => table.to_owned(),
        }
    }

    /// The key at this place, or the key whose value is there.
    fn key_at(&self, span: &Range<usize>) -> Option<&str> {
        let here = self.text.get(span.clone())?;
        if !here.is_empty() && here.chars().all(is_bare) && !here.starts_with(char::is_numeric) {
            let after = self.text[span.end..].trim_start();
            if after.starts_with('=') || after.starts_with(']') {
                return Some(here);
            }
        }
        let before = self.text.get(..span.start)?.trim_end();
        let value = before.strip_suffix('=');
        let before = value.or_else(|| before_list(before)?.strip_suffix('='))?;
        let before = before.trim_end();
        let start = before.trim_end_matches(is_bare).len();
        Some(&before[start..]).filter(|key| !key.is_empty())
    }
}

/// The error of a file that is not text.
pub(super) fn not_utf8(file: &str, error: &FromUtf8Error) -> ConfigError {
    let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
    let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
    ConfigError(format!(
        "{file}, line {line}: this is not UTF-8: save the file as UTF-8"
    ))
}

/// What comes before the list that is still open at the end of this text, if there is one.
fn before_list(text: &str) -> Option<&str> {
    let (before, values) = text.rsplit_once('[')?;
    (!values.contains(']')).then(|| before.trim_end())
}

fn is_bare(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}
