//! What can go wrong, and the exit code that tells a script.

use std::io::{self, Write as _};
use std::process::ExitCode;

/// Why the program stops without having done what it was asked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The arguments make no sense: exit code 2.
    Usage(String),
    /// The arguments were fine, but the run failed: exit code 1.
    Run(String),
    /// The reader of our output has gone away, as `head` does. Not a failure.
    ClosedPipe,
}

impl Failure {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    pub(crate) fn run(message: impl Into<String>) -> Self {
        Self::Run(message.into())
    }

    /// A failure to write to standard output.
    pub(crate) fn printing(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::ClosedPipe
        } else {
            Self::Run(format!("cannot write to standard output: {error}"))
        }
    }

    /// Tells the user, and the shell.
    pub(crate) fn report(&self) -> ExitCode {
        let (message, code) = match self {
            Self::Usage(message) => (message, 2),
            Self::Run(message) => (message, 1),
            Self::ClosedPipe => return ExitCode::SUCCESS,
        };
        // If standard error cannot be written, the exit code still tells.
        let _ = writeln!(io::stderr(), "filch: {}", on_one_line(message));
        ExitCode::from(code)
    }
}

/// `message` without line breaks and other control characters. Whoever quotes what a user typed
/// escapes it there; this is for what was forgotten.
fn on_one_line(message: &str) -> String {
    let mut line = String::with_capacity(message.len());
    for character in message.chars() {
        if character.is_control() {
            line.extend(character.escape_debug());
        } else {
            line.push(character);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_whatever_is_quoted() {
        assert_eq!(
            on_one_line("'a\nb\u{1b}[2J' is no 'x'"),
            r"'a\nb\u{1b}[2J' is no 'x'"
        );
    }
}
