//! Events of the proxy as a whole: lines on standard error.

use std::io::{self, Write as _};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use log::{Level, LevelFilter, Log, Metadata, Record};

use super::time;
use crate::poison::unpoisoned;

/// How many lines of other crates are written in a second: any client can cause them.
const THEIRS: usize = 10;

/// Writes what the proxy logs to standard error, one line for each event: our own from level `info`
/// on, and a few errors a second of the crates below. Does nothing if the program has a logger
/// already.
pub fn log_to_stderr() {
    let logger = StderrLogger {
        theirs: Mutex::new((Instant::now(), 0)),
    };
    if log::set_boxed_logger(Box::new(logger)).is_ok() {
        log::set_max_level(LevelFilter::Info);
    }
}

struct StderrLogger {
    /// When the current second began, and how many lines of other crates were written in it.
    theirs: Mutex<(Instant, usize)>,
}

fn is_ours(metadata: &Metadata<'_>) -> bool {
    metadata.target().starts_with("filch")
}

impl StderrLogger {
    /// Counts a line of another crate. Returns whether it may still be written.
    fn admits_theirs(&self) -> bool {
        let mut theirs = unpoisoned(self.theirs.lock());
        if theirs.0.elapsed() > Duration::from_secs(1) {
            *theirs = (Instant::now(), 0);
        }
        theirs.1 += 1;
        theirs.1 <= THEIRS
    }
}

impl Log for StderrLogger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        is_ours(metadata) || metadata.level() == Level::Error
    }

    fn log(&self, record: &Record<'_>) {
        let metadata = record.metadata();
        if !self.enabled(metadata) || !is_ours(metadata) && !self.admits_theirs() {
            return;
        }
        let level = record.level().as_str().to_ascii_lowercase();
        let message = without_controls(&record.args().to_string());
        // If standard error is closed, there is no other place for the line.
        let _ = writeln!(io::stderr(), "{} {level} {message}", time::now());
    }

    fn flush(&self) {}
}

/// The message with control characters escaped. It may quote a client, which must not send commands
/// to a terminal.
fn without_controls(message: &str) -> String {
    let mut safe = String::with_capacity(message.len());
    for c in message.chars() {
        if c.is_control() {
            safe.extend(c.escape_debug());
        } else {
            safe.push(c);
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::without_controls;

    #[test]
    fn control_characters_are_escaped() {
        let message = "a \u{1b}[2J\r\n\"é\"";
        assert_eq!(without_controls(message), "a \\u{1b}[2J\\r\\n\"é\"");
    }
}
