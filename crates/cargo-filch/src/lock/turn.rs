//! One `cargo filch` at a time has the lock file of a workspace.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::files::{cannot, create_folder};
use crate::failure::{Failure, say};
use crate::signals::Signals;

/// How often a process looks whether it is its turn. It does not block, because a signal has to
/// end the wait.
const LOOK: Duration = Duration::from_millis(50);

/// The right to the lock file of a workspace, until it is dropped.
pub(super) struct Turn {
    _file: File,
}

impl Turn {
    /// Waits until no other process has it. `folder` is created if it is not there.
    pub(super) fn wait(manifest: &Path, folder: &Path, signals: &Signals) -> Result<Self, Failure> {
        create_folder(folder)?;
        let file = open(manifest, folder)?;
        let mut has_said = false;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(cannot("lock", manifest, &error)),
            }
            if !has_said {
                say("waiting for another `cargo filch` of this workspace");
                has_said = true;
            }
            thread::sleep(LOOK);
            signals.check()?;
        }
    }
}

/// The manifest of the workspace is the same file whatever the target folder is. Its lock is
/// advisory and hinders no other program.
#[cfg(unix)]
fn open(manifest: &Path, _folder: &Path) -> Result<File, Failure> {
    File::open(manifest).map_err(|error| cannot("open", manifest, &error))
}

/// A file of our own: elsewhere a locked manifest could not be read.
#[cfg(not(unix))]
fn open(_manifest: &Path, folder: &Path) -> Result<File, Failure> {
    let path = folder.join("turn");
    let file = File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path);
    file.map_err(|error| cannot("open", &path, &error))
}
