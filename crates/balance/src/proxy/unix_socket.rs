//! The files of Unix sockets.
//!
//! A file stays when the process that has made it ends, and then nobody listens there. Such a file
//! is replaced; any other is not.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::os::unix::net::UnixListener;
use std::path::Path;

use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, bind, connect, listen, socket};

/// Opens a socket at this path, to which those can connect that `mode` allows to.
pub(crate) fn open(path: &Path, mode: u32, backlog: u32) -> io::Result<UnixListener> {
    match fs::symlink_metadata(path) {
        Ok(file) if !file.file_type().is_socket() => {
            let problem = "there is a file that is no socket: remove it, or use another path";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, problem));
        }
        Ok(_) if is_in_use(path)? => return Err(io::ErrorKind::AddrInUse.into()),
        Ok(_) => fs::remove_file(path)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let socket = socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    fcntl_setfd(&socket, FdFlags::CLOEXEC)?;
    bind(&socket, &SocketAddrUnix::new(path)?)?;
    // Nobody can connect before it listens.
    fs::set_permissions(path, Permissions::from_mode(mode))?;
    listen(&socket, i32::try_from(backlog).unwrap_or(i32::MAX))?;
    let listener = UnixListener::from(socket);
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Removes the file of a socket at which nobody listens. A successor may do so.
pub(crate) fn remove_unused(path: &Path) {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|it| it.file_type().is_socket());
    if is_socket && is_in_use(path).is_ok_and(|used| !used) {
        let _ = fs::remove_file(path);
    }
}

/// Whether a process has opened the socket of this file.
///
/// Datagrams cannot be sent to it, which the system says without disturbing the process.
fn is_in_use(path: &Path) -> io::Result<bool> {
    let probe = socket(AddressFamily::UNIX, SocketType::DGRAM, None)?;
    match connect(&probe, &SocketAddrUnix::new(path)?) {
        Err(Errno::CONNREFUSED | Errno::NOENT) => Ok(false),
        Ok(()) | Err(Errno::PROTOTYPE) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_socket_without_a_listener_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let first = open(&path, 0o640, 10).unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        let error = open(&path, 0o600, 10).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
        remove_unused(&path);
        assert!(path.exists(), "it is in use");
        drop(first);
        assert!(path.exists());
        let second = open(&path, 0o600, 10).unwrap();
        drop(second);
        remove_unused(&path);
        assert!(!path.exists());
    }

    #[test]
    fn other_files_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "important").unwrap();
        let error = open(&path, 0o600, 10).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        remove_unused(&path);
        assert_eq!(fs::read(&path).unwrap(), b"important");
        let missing = folder.path().join("no/socket");
        assert_eq!(
            open(&missing, 0o600, 10).unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
    }
}
