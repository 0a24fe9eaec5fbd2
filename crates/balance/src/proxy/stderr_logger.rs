//! Events of the proxy as a whole: lines on standard error.

use std::io::{self, Write as _};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use log::{Level, LevelFilter, Log, Metadata, Record};

use super::time;
use crate::poison::unpoisoned;

/// The target of our lines that any client can cause.
pub(crate) const BY_CLIENTS: &str = "filch_balance::proxy::by_clients";

/// How many lines that any client can cause are written in a second.
const MOST: usize = 10;

/// Writes what the proxy logs to standard error, one line for each event: our own from level `info`
/// on, and errors of the crates below. Of those that any client can cause, such as handshakes that
/// fail, a few a second are written. Does nothing if the program has a logger already.
pub fn log_to_stderr() {
    let logger = StderrLogger {
        by_clients: Mutex::new(Limit::new(Instant::now())),
    };
    if log::set_boxed_logger(Box::new(logger)).is_ok() {
        log::set_max_level(LevelFilter::Info);
    }
}

struct StderrLogger {
    by_clients: Mutex<Limit>,
}

/// How many lines were written in the current second.
struct Limit {
    since: Instant,
    lines: usize,
}

impl Limit {
    fn new(now: Instant) -> Self {
        Self {
            since: now,
            lines: 0,
        }
    }

    /// Counts a line. Returns whether it may still be written.
    fn admits(&mut self, now: Instant) -> bool {
        if now.saturating_duration_since(self.since) > Duration::from_secs(1) {
            *self = Self::new(now);
        }
        self.lines += 1;
        self.lines <= MOST
    }
}

fn is_ours(metadata: &Metadata<'_>) -> bool {
    metadata.target().starts_with("filch")
}

fn is_by_clients(metadata: &Metadata<'_>) -> bool {
    !is_ours(metadata) || metadata.target() == BY_CLIENTS
}

impl Log for StderrLogger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        is_ours(metadata) || metadata.level() == Level::Error
    }

    fn log(&self, record: &Record<'_>) {
        let metadata = record.metadata();
        if !self.enabled(metadata) {
            return;
        }
        if is_by_clients(metadata) && !unpoisoned(self.by_clients.lock()).admits(Instant::now()) {
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
    use super::*;

    #[test]
    fn what_clients_cause_is_limited() {
        let start = Instant::now();
        let mut limit = Limit::new(start);
        for seconds in [0, 2, 4] {
            let now = start + Duration::from_secs(seconds);
            let written = (0..100).filter(|_| limit.admits(now)).count();
            assert_eq!(written, MOST);
        }
    }

    #[test]
    fn others_and_handshakes_are_by_clients() {
        for (target, expected) in [
            ("filch_balance::proxy::reloader", false),
            (BY_CLIENTS, true),
            ("hyper::proto", true),
        ] {
            let metadata = Metadata::builder().target(target).build();
            assert_eq!(is_by_clients(&metadata), expected, "{target}");
        }
    }

    #[test]
    fn control_characters_are_escaped() {
        let message = "a \u{1b}[2J\r\n\"é\"";
        assert_eq!(without_controls(message), "a \\u{1b}[2J\\r\\n\"é\"");
    }
}
