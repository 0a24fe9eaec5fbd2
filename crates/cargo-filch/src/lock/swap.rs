//! The prepared lock file in the place of the user's, for a cargo that finds it nowhere else.
//!
//! The user's is written to `original` first and the prepared one to `prepared`, then `in-place` is
//! created, then the prepared one is written over the user's. Putting it back goes the other way
//! round. So a process that is killed at any moment leaves `in-place` behind, and the next `cargo
//! filch` puts the lock file back.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::files::{cannot, read, remove, write};
use super::text;
use crate::failure::{Failure, say};

/// The prepared lock file is in place; the user's comes back when this is dropped.
pub(super) struct Swap {
    lock_file: PathBuf,
    folder: PathBuf,
}

impl Swap {
    /// Writes the prepared lock file over the user's, of which `folder` keeps a copy.
    pub(super) fn begin(
        lock_file: PathBuf,
        folder: PathBuf,
        prepared: &str,
    ) -> Result<Self, Failure> {
        let original = read(&lock_file)?.unwrap_or_default();
        write(&folder.join("original"), &original)?;
        write(&folder.join("prepared"), prepared)?;
        write(&folder.join("in-place"), &mark(&lock_file))?;
        let swap = Self { lock_file, folder };
        if !prepared.is_empty() {
            write(&swap.lock_file, prepared)?;
        }
        Ok(swap)
    }
}

impl Drop for Swap {
    fn drop(&mut self) {
        if let Err(Failure::Run(message)) = put_back_left_over(&self.lock_file, &self.folder) {
            say(&message);
        }
    }
}

/// What is to be known of the user's lock file beside its text: when it was changed, in
/// nanoseconds, or nothing if there is none.
fn mark(lock_file: &Path) -> String {
    let changed = fs::metadata(lock_file).and_then(|metadata| metadata.modified());
    let since = |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap_or_default();
    changed.map_or_else(|_| "none".into(), |time| since(time).as_nanos().to_string())
}

/// Puts the user's lock file back if the prepared one is in its place, and is still ours.
pub(super) fn put_back_left_over(lock_file: &Path, folder: &Path) -> Result<(), Failure> {
    let in_place = folder.join("in-place");
    let Some(mark) = read(&in_place)? else {
        return Ok(());
    };
    let original = read(&folder.join("original"))?.unwrap_or_default();
    let prepared = read(&folder.join("prepared"))?.unwrap_or_default();
    let current = read(lock_file)?.unwrap_or_default();
    // Where there was no lock file and none was prepared, the one that is there is our cargo's.
    let is_untouched = current == prepared || mark == "none" && prepared.is_empty();
    if !is_untouched && !text::is_ours(&original, &current) {
        say("Cargo.lock was changed meanwhile by another program and stays as that left it");
    } else if mark == "none" {
        remove(lock_file)?;
    } else {
        write(lock_file, &original)?;
        set_changed(lock_file, &mark)?;
    }
    remove(&in_place)
}

fn set_changed(lock_file: &Path, mark: &str) -> Result<(), Failure> {
    let Ok(nanos) = mark.parse() else {
        return Ok(());
    };
    let file = File::options().write(true).open(lock_file);
    let changed = UNIX_EPOCH + Duration::from_nanos(nanos);
    file.and_then(|file| file.set_modified(changed))
        .map_err(|error| cannot("write", lock_file, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORIGINAL: &str = "version = 4\n\n[[package]]\nname = \"prog\"\nversion = \"0.1.0\"\n";

    fn folder() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let lock_file = folder.path().join("Cargo.lock");
        let kept = folder.path().join("kept");
        fs::create_dir(&kept).unwrap();
        (folder, lock_file, kept)
    }

    #[test]
    fn a_lock_file_comes_back_as_it_was() {
        let (_folder, lock_file, kept) = folder();
        fs::write(&lock_file, ORIGINAL).unwrap();
        let changed = fs::metadata(&lock_file).unwrap().modified().unwrap();
        let swap = Swap::begin(lock_file.clone(), kept, "version = 4\n").unwrap();
        assert_eq!(fs::read_to_string(&lock_file).unwrap(), "version = 4\n");
        drop(swap);
        assert_eq!(fs::read_to_string(&lock_file).unwrap(), ORIGINAL);
        assert_eq!(
            fs::metadata(&lock_file).unwrap().modified().unwrap(),
            changed
        );
    }

    #[test]
    fn where_there_was_no_lock_file_there_is_none() {
        let (_folder, lock_file, kept) = folder();
        let swap = Swap::begin(lock_file.clone(), kept, ORIGINAL).unwrap();
        assert_eq!(fs::read_to_string(&lock_file).unwrap(), ORIGINAL);
        drop(swap);
        assert!(!lock_file.exists());
    }

    #[test]
    fn what_a_killed_process_left_is_put_back_once() {
        let (_folder, lock_file, kept) = folder();
        fs::write(&lock_file, ORIGINAL).unwrap();
        std::mem::forget(Swap::begin(lock_file.clone(), kept.clone(), "version = 4\n").unwrap());
        put_back_left_over(&lock_file, &kept).unwrap();
        assert_eq!(fs::read_to_string(&lock_file).unwrap(), ORIGINAL);
        fs::write(&lock_file, "version = 4\n").unwrap();
        put_back_left_over(&lock_file, &kept).unwrap();
        assert_eq!(fs::read_to_string(&lock_file).unwrap(), "version = 4\n");
    }

    #[test]
    fn a_lock_file_that_the_user_changed_stays() {
        let (_folder, lock_file, kept) = folder();
        let swap = Swap::begin(lock_file.clone(), kept, ORIGINAL).unwrap();
        let changed = ORIGINAL.replace("0.1.0", "0.2.0");
        fs::write(&lock_file, &changed).unwrap();
        drop(swap);
        assert_eq!(fs::read_to_string(&lock_file).unwrap(), changed);
    }
}
