//! What can go wrong, and the exit code that tells a script.

use std::io::{self, Write as _};

use crate::output::printable;

/// Why the program stops without having done what it was asked.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    /// The arguments make no sense: exit code 2.
    Usage(String),
    /// The same for several things at once, a line each: exit code 2.
    Lines(Vec<String>),
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

    /// What the user is told, a line for each thing; none if there is nothing to tell.
    pub fn sentence(&self) -> Option<String> {
        let messages = self.messages();
        let lines: Vec<String> = messages.iter().map(|line| on_one_line(line)).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    fn messages(&self) -> &[String] {
        match self {
            Self::Usage(message) | Self::Run(message) => std::slice::from_ref(message),
            Self::Lines(messages) => messages,
            Self::ClosedPipe => &[],
        }
    }

    /// Tells the user, and by the exit code the shell.
    pub(crate) fn report(&self) -> u8 {
        for message in self.messages() {
            // If standard error cannot be written, the exit code still tells.
            let _ = writeln!(io::stderr(), "filch: {}", on_one_line(message));
        }
        match self {
            Self::Usage(_) | Self::Lines(_) => 2,
            Self::Run(_) => 1,
            Self::ClosedPipe => 0,
        }
    }
}

/// What a line has room for at either end of one that is too long.
const ROOM: usize = 300;

/// `message` on one line that can be read. Where a user's text is quoted it is escaped, but it may
/// be of any length: the beginning says what is wrong, the end what to type instead.
fn on_one_line(message: &str) -> String {
    let line = printable(message);
    let count = line.chars().count();
    if count <= 2 * ROOM {
        return line;
    }
    let first: String = line.chars().take(ROOM).collect();
    let last: String = line.chars().skip(count - ROOM).collect();
    format!("{first} … {last}")
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

    #[test]
    fn a_long_line_keeps_its_ends() {
        let long = format!("unknown '{}': use pi", "x".repeat(100_000));
        let line = on_one_line(&long);
        assert!(
            line.starts_with("unknown 'xxx") && line.ends_with("xxx': use pi"),
            "{line}"
        );
        assert_eq!(line.chars().count(), 2 * ROOM + 3);
    }
}
