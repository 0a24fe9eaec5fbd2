//! Standard output, and files that are there whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use tempfile::NamedTempFile;

use crate::failure::Failure;

/// Prints `text` as it is.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    written.map_err(|error| Failure::printing(&error))
}

/// Prints `value` as one JSON object.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    print(&json(value))
}

/// `value` as JSON that people can read too.
pub(crate) fn json(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("our values are plain data");
    text.push('\n');
    text
}

/// A folder for results. It is tried out before hours are spent on results that could not be kept,
/// and taken away again if nothing was put into it.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    /// The topmost folder that had to be made, to be removed if the run fails.
    made: Option<PathBuf>,
}

impl Folder {
    /// Opens the folder `path`, which `argument` named, making it if it is not there.
    pub(crate) fn open(argument: &str, path: &Path) -> Result<Self, Failure> {
        let refuse = |error: io::Error| {
            Failure::run(format!(
                "{argument}: cannot write to the folder '{}' ({error}): name another one",
                path.display()
            ))
        };
        if path.exists() && !path.is_dir() {
            return Err(Failure::run(format!(
                "{argument}: '{}' is a file, not a folder: name another one",
                path.display()
            )));
        }
        let missing = path
            .ancestors()
            .take_while(|folder| !folder.as_os_str().is_empty());
        let made = missing
            .take_while(|folder| !folder.exists())
            .last()
            .map(PathBuf::from);
        let folder = Self {
            path: path.to_path_buf(),
            made,
        };
        fs::create_dir_all(path).map_err(refuse)?;
        NamedTempFile::new_in(path).map_err(refuse)?;
        Ok(folder)
    }

    /// Puts all `files`, name and content, into the folder. Each is complete when it appears.
    pub(crate) fn keep(mut self, files: &[(&str, &str)]) -> Result<(), Failure> {
        let mut written = Vec::new();
        for &(name, content) in files {
            let path = self.path.join(name);
            let file = write(&self.path, content).map_err(|error| refuse(&path, &error))?;
            written.push((path, file));
        }
        for (path, file) in written {
            file.persist(&path)
                .map_err(|failed| refuse(&path, &failed.error))?;
        }
        self.made = None;
        Ok(())
    }
}

fn write(folder: &Path, content: &str) -> io::Result<NamedTempFile> {
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(content.as_bytes())?;
    readable_by_all(&file)?;
    Ok(file)
}

/// Temporary files are private; results are for everybody whom the folder lets in.
#[cfg(unix)]
fn readable_by_all(file: &NamedTempFile) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.as_file()
        .set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable_by_all(_: &NamedTempFile) -> io::Result<()> {
    Ok(())
}

fn refuse(path: &Path, error: &io::Error) -> Failure {
    Failure::run(format!("cannot write '{}': {error}", path.display()))
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Some(made) = &self.made {
            // Nothing can be done about a folder that does not want to go.
            let _ = fs::remove_dir_all(made);
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

    #[test]
    fn files_appear_whole() {
        let home = tempfile::tempdir().unwrap();
        let out = home.path().join("a/b");
        Folder::open("--out", &out)
            .unwrap()
            .keep(&[("report.md", "# all")])
            .unwrap();
        assert_eq!(names(&out), ["report.md"]);
        assert_eq!(fs::read_to_string(out.join("report.md")).unwrap(), "# all");
        // A second run replaces the first.
        Folder::open("--out", &out)
            .unwrap()
            .keep(&[("report.md", "# new")])
            .unwrap();
        assert_eq!(fs::read_to_string(out.join("report.md")).unwrap(), "# new");
    }

    #[test]
    fn a_run_that_fails_leaves_no_folder() {
        let home = tempfile::tempdir().unwrap();
        drop(Folder::open("--out", &home.path().join("a/b")).unwrap());
        assert_eq!(names(home.path()), [""; 0]);
    }

    #[test]
    fn a_folder_that_was_there_stays() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("mine"), "").unwrap();
        drop(Folder::open("--out", home.path()).unwrap());
        assert_eq!(names(home.path()), ["mine"]);
    }

    #[test]
    fn a_file_is_not_a_folder() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("file");
        fs::write(&file, "mine").unwrap();
        let failure = Folder::open("--out", &file).unwrap_err();
        assert!(
            matches!(&failure, Failure::Run(message) if message.contains("is a file, not a folder"))
        );
        let below = Folder::open("--out", &file.join("below")).unwrap_err();
        assert!(matches!(&below, Failure::Run(message) if message.contains("name another one")));
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    }
}
