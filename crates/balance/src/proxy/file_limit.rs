use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Lets this process open as many files as the system allows, and returns that number. Each
/// connection is a file, on both sides of the proxy.
///
/// # Errors
///
/// If the system refuses.
pub fn raise_file_limit() -> io::Result<u64> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        ..limit
    };
    setrlimit(Resource::Nofile, raised)?;
    Ok(limit.maximum.unwrap_or(u64::MAX))
}

/// How many connections clients may have: a quarter of the files is left for connections to
/// servers, for listeners and for logs.
pub(crate) fn connections() -> usize {
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let connections = files / 4 * 3;
    usize::try_from(connections).unwrap_or(usize::MAX).max(1)
}
