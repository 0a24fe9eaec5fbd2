//! Why a command ends, and the exit code that tells a script.

use std::io::{self, Write as _};
use std::process::{ExitCode, ExitStatus};

/// Why a command stops without having done what it was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The arguments or the program do not fit: exit code 2.
    Usage(String),
    /// Something failed on the way: exit code 1.
    Run(String),
    /// Cargo has said what is wrong: its exit code.
    Cargo(ExitStatus),
    /// A signal came between two steps.
    Signal(i32),
}

impl Failure {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    pub(crate) fn run(message: impl Into<String>) -> Self {
        Self::Run(message.into())
    }

    /// Tells the user, and the shell.
    pub(crate) fn report(self) -> ExitCode {
        match self {
            Self::Usage(message) => {
                say(&message);
                ExitCode::from(2)
            }
            Self::Run(message) => {
                say(&message);
                ExitCode::from(1)
            }
            Self::Cargo(status) => crate::ending::as_child(status),
            Self::Signal(signal) => crate::ending::by_signal(signal),
        }
    }
}

/// One line on standard error.
pub(crate) fn say(message: &str) {
    // If standard error cannot be written, the exit code still tells.
    let _ = writeln!(io::stderr(), "cargo filch: {message}");
}
