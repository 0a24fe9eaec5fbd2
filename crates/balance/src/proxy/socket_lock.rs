//! Who may make or remove the file of a socket.
//!
//! To see that no process listens there, to remove the file and to make a new one are three steps
//! for the system. Of two proxies that took them at the same moment, one could remove the socket
//! that the other has just made. So each holds a lock meanwhile. The lock is a file beside the
//! socket's, since a lock on the folder could be held by every user who may read it.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, Mode, OFlags, flock, fstat, lstat, open};
use rustix::io::{Errno, retry_on_intr};

/// What the name of the lock has after that of the socket. A name that others use for a lock of
/// theirs could be locked for as long as they run.
const SUFFIX: &str = ".filch-lock";

/// The right to make or remove the file of a socket, as long as this lives.
#[derive(Debug)]
pub(crate) struct SocketLock {
    file: OwnedFd,
    path: PathBuf,
}

impl SocketLock {
    /// Waits until no other process has the right for the socket at this path.
    pub(crate) fn hold(socket: &Path) -> io::Result<Self> {
        let mut path = socket.to_owned().into_os_string();
        path.push(SUFFIX);
        let path = PathBuf::from(path);
        // Through a link, another user could have us make a file anywhere.
        let flags = OFlags::CREATE | OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        loop {
            let file = open(&path, flags, Mode::RUSR | Mode::WUSR)?;
            retry_on_intr(|| flock(&file, FlockOperation::LockExclusive))?;
            if is_at(&file, &path)? {
                return Ok(Self { file, path });
            }
            // Its last holder has removed it, and the next process locks another file.
        }
    }
}

impl Drop for SocketLock {
    /// Removes the file, which is still locked. A file that holds something is not ours.
    fn drop(&mut self) {
        if fstat(&self.file).is_ok_and(|file| file.st_size == 0) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Whether this is the file at this path.
fn is_at(file: &OwnedFd, path: &Path) -> io::Result<bool> {
    let own = fstat(file)?;
    match lstat(path) {
        Ok(there) => Ok((own.st_dev, own.st_ino) == (there.st_dev, there.st_ino)),
        Err(Errno::NOENT) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn one_at_a_time_holds_it() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("socket");
        let held = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        let lock = SocketLock::hold(&socket).unwrap();
                        assert!(!held.swap(true, Ordering::Relaxed));
                        thread::yield_now();
                        held.store(false, Ordering::Relaxed);
                        drop(lock);
                    }
                });
            }
        });
        let left = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 0, "the lock's file is removed");
    }

    /// Neither is removed, nor what a link leads to made.
    #[test]
    fn files_of_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a.filch-lock"), "important").unwrap();
        drop(SocketLock::hold(&path("a")).unwrap());
        assert_eq!(fs::read(path("a.filch-lock")).unwrap(), b"important");
        symlink(path("elsewhere"), path("b.filch-lock")).unwrap();
        SocketLock::hold(&path("b")).unwrap_err();
        assert!(!path("elsewhere").exists());
    }
}
