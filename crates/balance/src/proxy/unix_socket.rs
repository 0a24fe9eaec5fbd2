//! The files of Unix sockets.
//!
//! A file stays when the process that has made it ends, and then nobody listens there. Such a file
//! is replaced; any other is not. Of several proxies that do so at the same moment, one gets the
//! socket, and the others find it in use.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::os::unix::net::UnixListener;
use std::path::Path;

use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, bind, connect, listen, socket};

use super::socket_lock::SocketLock;

/// Opens a socket at this path, to which those can connect that `mode` allows to.
pub(crate) fn open(path: &Path, mode: u32, backlog: u32) -> io::Result<UnixListener> {
    let _lock = SocketLock::hold(path)?;
    match fs::symlink_metadata(path) {
        Ok(file) if !file.file_type().is_socket() => return Err(no_socket()),
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
    let is_unused = || is_socket(path) && is_in_use(path).is_ok_and(|used| !used);
    if !is_unused() {
        return;
    }
    // Another proxy may have replaced it meanwhile, and may be about to.
    let lock = SocketLock::hold(path);
    if lock.is_ok() && is_unused() {
        let _ = fs::remove_file(path);
    }
}

/// Whether there is the file of a socket.
pub(crate) fn is_socket(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|it| it.file_type().is_socket())
}

/// The error about another file at the path of a socket.
pub(crate) fn no_socket() -> io::Error {
    let problem = "there is a file that is no socket: remove it, or use another path";
    io::Error::new(io::ErrorKind::AlreadyExists, problem)
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
    use std::os::unix::net::UnixStream;
    use std::sync::Barrier;
    use std::thread;

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

    /// Opens the socket from several threads at the same moment.
    fn open_at_once(path: &Path) -> Vec<io::Result<UnixListener>> {
        let barrier = Barrier::new(4);
        let open = || {
            barrier.wait();
            open(path, 0o600, 10)
        };
        thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(open)).collect();
            let opened = threads.into_iter().map(|it| it.join().unwrap());
            opened.collect()
        })
    }

    #[test]
    fn one_of_several_gets_the_socket() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        for _ in 0..300 {
            let opened = open_at_once(&path);
            let problems = opened.iter().filter_map(|it| it.as_ref().err());
            let problems: Vec<_> = problems.map(io::Error::kind).collect();
            assert_eq!(problems, [io::ErrorKind::AddrInUse; 3]);
            UnixStream::connect(&path).expect("the file is that of the one");
        }
        let files = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(files, 1, "there is the stale socket alone");
    }

    /// A proxy that stops does not remove the socket of one that starts at the same moment.
    #[test]
    fn a_new_socket_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let mut current = open(&path, 0o600, 10).unwrap();
        for _ in 0..300 {
            drop(current);
            let barrier = Barrier::new(2);
            current = thread::scope(|scope| {
                scope.spawn(|| {
                    barrier.wait();
                    remove_unused(&path);
                });
                barrier.wait();
                open(&path, 0o600, 10).unwrap()
            });
            UnixStream::connect(&path).expect("its file is there");
        }
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
