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
