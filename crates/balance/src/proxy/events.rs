//! What concerns the proxy as a whole: lines on standard error.

use std::io::{self, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use log::{Level, LevelFilter, Log, Metadata, Record};

use super::time;

/// How many lines of Pingora's are written in a second: anybody who connects can cause them.
const THEIRS: usize = 10;

/// Writes what the proxy logs to standard error, a line each: our own from level `info`, Pingora's
/// errors, but few a second. Does nothing if the program has a logger already.
pub fn log_to_stderr() {
    let lines = Lines {
        theirs: Mutex::new((Instant::now(), 0)),
    };
    if log::set_boxed_logger(Box::new(lines)).is_ok() {
        log::set_max_level(LevelFilter::Info);
    }
}

struct Lines {
    /// The second that is counted, and the lines in it.
    theirs: Mutex<(Instant, usize)>,
}

fn is_ours(metadata: &Metadata<'_>) -> bool {
    metadata.target().starts_with("filch")
}

impl Log for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        is_ours(metadata) || metadata.level() == Level::Error
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        if !is_ours(record.metadata()) {
            let mut theirs = self.theirs.lock().unwrap_or_else(PoisonError::into_inner);
            if theirs.0.elapsed() > Duration::from_secs(1) {
                *theirs = (Instant::now(), 0);
            }
            theirs.1 += 1;
            if theirs.1 > THEIRS {
                return;
            }
        }
        let level = record.level().as_str().to_ascii_lowercase();
        let message = record.args().to_string();
        // What clients sent may be quoted; it is not to move anybody's cursor.
        let message: String = message
            .chars()
            .flat_map(|c| {
                let escaped = c.is_control().then(|| c.escape_debug());
                let plain = (!c.is_control()).then_some(c);
                escaped.into_iter().flatten().chain(plain)
            })
            .collect();
        // If standard error is closed there is nobody to tell.
        let _ = writeln!(io::stderr(), "{} {level} {message}", time::now());
    }

    fn flush(&self) {}
}
