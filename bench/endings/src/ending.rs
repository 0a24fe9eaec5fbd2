//! How a process ends.

use std::fmt;
use std::io::{self, BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// What became of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It printed this.
    Finishes(String),
    /// It printed nothing within the time limit.
    Hangs,
    /// It ended without printing anything.
    Dies(String),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Finishes(_) => f.write_str("finishes"),
            Self::Hangs => f.write_str("hangs"),
            Self::Dies(status) => write!(f, "dies ({status})"),
        }
    }
}

/// A process that prints lines.
pub(crate) struct Printer {
    child: Child,
    lines: Receiver<String>,
}

impl Printer {
    pub(crate) fn start(program: &str, arguments: &[&str]) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null());
        // Panics are part of the programs.
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let (send, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, lines })
    }

    /// The next line, if it comes in time.
    pub(crate) fn next(&mut self, limit: Duration) -> Ending {
        match self.lines.recv_timeout(limit) {
            Ok(line) => Ending::Finishes(line),
            Err(RecvTimeoutError::Timeout) => Ending::Hangs,
            Err(RecvTimeoutError::Disconnected) => match self.child.wait() {
                Ok(status) => Ending::Dies(status.to_string()),
                Err(error) => Ending::Dies(error.to_string()),
            },
        }
    }
}

impl Drop for Printer {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
