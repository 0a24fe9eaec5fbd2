//! Files that survive a lost machine: written aside, synced, renamed.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use crate::failure::Failure;
use crate::folder::{shown, temporary_in};

/// Makes a folder and all that is missing above it.
pub(super) fn make_folder(path: &Path) -> Result<(), Failure> {
    if path.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(path).map_err(|error| refuse(path, &error))?;
    // Its name is in the folder above, which may be one that cannot be opened.
    let _ = sync_folder(&path.join(".."));
    Ok(())
}

/// Puts a file with this content, piece by piece, into `folder`: it is there whole and on disk, or
/// not at all. What an earlier attempt has left aside is overwritten.
pub(super) fn write(
    folder: &Path,
    name: &str,
    content: &[impl AsRef<[u8]>],
) -> Result<(), Failure> {
    let path = folder.join(name);
    let aside = folder.join(format!("{name}.new"));
    let place = || {
        let mut file = File::create(&aside)?;
        for piece in content {
            file.write_all(piece.as_ref())?;
        }
        file.sync_all()?;
        fs::rename(&aside, &path)?;
        sync_folder(folder)
    };
    place().map_err(|error| refuse(&path, &error))
}

/// Puts a new file into `folder`, as [`write`] does. If another process was faster, its file stays.
pub(super) fn begin(folder: &Path, name: &str, content: &[u8]) -> Result<(), Failure> {
    let path = folder.join(name);
    let place = || {
        let mut file = temporary_in(folder)?;
        file.write_all(content)?;
        file.as_file().sync_all()?;
        match file.persist_noclobber(&path) {
            Err(refused) if refused.error.kind() != io::ErrorKind::AlreadyExists => {
                Err(refused.error)
            }
            _ => sync_folder(folder),
        }
    };
    place().map_err(|error| refuse(&path, &error))
}

/// Makes the names in `folder` durable.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Elsewhere a folder cannot be opened as a file.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

pub(super) fn refuse(path: &Path, error: &io::Error) -> Failure {
    Failure::run(format!("cannot write '{}': {error}", shown(path)))
}
