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

// Upstream's texts: its tests compare them, and programs may.
const GLOBAL_POOL: &str = "The global thread pool has already been initialized.";
const CURRENT_THREAD: &str = "The current thread is already part of another thread pool.";

impl Error for ThreadPoolBuildError {
    #[allow(deprecated, reason = "upstream has it, and programs may call it")]
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
