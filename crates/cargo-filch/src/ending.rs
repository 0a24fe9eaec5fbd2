//! Ending as the child has ended.

use std::process::{ExitCode, ExitStatus};

/// Ends as a child did: with its exit code, or by the signal that ended it.
pub(crate) fn as_child(status: ExitStatus) -> ExitCode {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return by_signal(signal);
    }
    match status.code() {
        Some(code) => ExitCode::from(u8::try_from(code).unwrap_or(1)),
        None => ExitCode::FAILURE,
    }
}

/// Ends by a signal, so that a shell sees what it would see without `cargo filch`.
pub(crate) fn by_signal(signal: i32) -> ExitCode {
    #[cfg(unix)]
    {
        // It returns only if the signal cannot be raised.
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
    ExitCode::from(u8::try_from(128 + signal).unwrap_or(1))
}
