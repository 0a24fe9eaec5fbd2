//! Folders that are made for results.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Folders that were not there before, the outermost first. They go again when this is dropped,
/// unless something else has been put into them.
pub(super) struct MadeFolders(Vec<PathBuf>);

impl MadeFolders {
    /// Makes `path` and all that is missing above it.
    pub(super) fn down_to(path: &Path) -> io::Result<Self> {
        let mut made = Self(Vec::new());
        // Without `.` components, which name no folder to be made.
        made.make(&path.components().collect::<PathBuf>())?;
        Ok(made)
    }

    fn make(&mut self, path: &Path) -> io::Result<()> {
        let mut attempt = fs::create_dir(path);
        let above = path.parent().filter(|above| !above.as_os_str().is_empty());
        if let (Err(error), Some(above)) = (&attempt, above)
            && error.kind() == io::ErrorKind::NotFound
        {
            self.make(above)?;
            attempt = fs::create_dir(path);
        }
        match attempt {
            Ok(()) => self.0.push(path.to_path_buf()),
            Err(_) if path.is_dir() => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// The folders are to stay.
    pub(super) fn stay(mut self) {
        self.0.clear();
    }
}

impl Drop for MadeFolders {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            // Only an empty folder can be removed so, and one that is not is no longer ours.
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    /// What others put into a folder of ours while it was there stays, and so does the folder.
    #[test]
    fn only_empty_folders_go() {
        let home = tempfile::tempdir().unwrap();
        let made = MadeFolders::down_to(&home.path().join("a/b/c")).unwrap();
        fs::write(home.path().join("a/theirs"), "precious").unwrap();
        drop(made);
        assert_eq!(names(home.path()), ["a"]);
        assert_eq!(names(&home.path().join("a")), ["theirs"]);
    }
}
