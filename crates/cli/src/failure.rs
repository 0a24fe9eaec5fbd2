//! What can go wrong, and the exit code that tells a script.

use std::io;
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
    #[expect(
        clippy::print_stderr,
        reason = "the one place where failures are printed"
    )]
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            Self::Usage(message) => {
                eprintln!("filch: {message}");
                ExitCode::from(2)
            }
            Self::Run(message) => {
                eprintln!("filch: {message}");
                ExitCode::from(1)
            }
            Self::ClosedPipe => ExitCode::SUCCESS,
        }
    }
}
