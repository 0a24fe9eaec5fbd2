//! Why a pool could not be built.

use core::fmt;
use std::error::Error;
use std::io;

/// Why a pool could not be built.
#[derive(Debug)]
pub struct ThreadPoolBuildError {
    kind: ErrorKind,
}

#[derive(Debug)]
pub(crate) enum ErrorKind {
    GlobalPoolAlreadyInitialized,
    CurrentThreadAlreadyInPool,
    Io(io::Error),
}

impl ThreadPoolBuildError {
    pub(crate) fn is_unsupported(&self) -> bool {
        matches!(&self.kind, ErrorKind::Io(error) if error.kind() == io::ErrorKind::Unsupported)
    }
}

impl From<ErrorKind> for ThreadPoolBuildError {
    fn from(kind: ErrorKind) -> Self {
        Self { kind }
    }
}

const GLOBAL_POOL: &str =
    "there is a global thread pool already: build it once, before anything uses it";
const CURRENT_THREAD: &str =
    "the current thread is a worker of a pool already: build this pool on another thread";

impl Error for ThreadPoolBuildError {
    #[allow(deprecated, reason = "upstream has it, and somebody may call it")]
    fn description(&self) -> &str {
        match &self.kind {
            ErrorKind::GlobalPoolAlreadyInitialized => GLOBAL_POOL,
            ErrorKind::CurrentThreadAlreadyInPool => CURRENT_THREAD,
            ErrorKind::Io(error) => error.description(),
        }
    }

    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.kind {
            ErrorKind::GlobalPoolAlreadyInitialized | ErrorKind::CurrentThreadAlreadyInPool => None,
            ErrorKind::Io(error) => Some(error),
        }
    }
}

impl fmt::Display for ThreadPoolBuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ErrorKind::GlobalPoolAlreadyInitialized => f.write_str(GLOBAL_POOL),
            ErrorKind::CurrentThreadAlreadyInPool => f.write_str(CURRENT_THREAD),
            ErrorKind::Io(error) => error.fmt(f),
        }
    }
}
