//! Files that are there whole and together, or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempDir};

use crate::failure::Failure;

/// A folder for results.
///
/// Whether they can be kept is tried out before hours are spent on them, but nothing is left there
/// until there are some: a run that fails or is interrupted before that leaves no folder behind.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Tries out the folder `path`, which `argument` named and which need not be there yet.
    pub(crate) fn try_out(argument: &str, path: &Path) -> Result<Self, Failure> {
        // A link to nowhere is there too, and is no folder either.
        if path.symlink_metadata().is_ok() && !path.is_dir() {
            return Err(Failure::run(format!(
                "{argument}: '{}' is not a folder: name another one",
                shown(path)
            )));
        }
        let probe = || {
            let _made = MadeFolders::down_to(path)?;
            // The file goes before the folders do.
            NamedTempFile::new_in(path).map(drop)
        };
        probe().map_err(|error| {
            Failure::run(format!(
                "{argument}: cannot write to the folder '{}' ({error}): name another one",
                shown(path)
            ))
        })?;
        Ok(Self {
            path: path.to_path_buf(),
        })
    }

    /// Puts all `files`, name and content, into the folder: each is complete when it appears, and
    /// all of them appear or none.
    pub(crate) fn keep(&self, files: &[(&str, &str)]) -> Result<(), Failure> {
        let made = MadeFolders::down_to(&self.path).map_err(|error| refuse(&self.path, &error))?;
        let mut written = Vec::new();
        for &(name, content) in files {
            let path = self.path.join(name);
            if path.is_dir() {
                return Err(Failure::run(format!(
                    "cannot write '{}': there is a folder of that name",
                    shown(&path)
                )));
            }
            let file = write(&self.path, content).map_err(|error| refuse(&path, &error))?;
            written.push((path, file));
        }
        replace(&self.path, written)?;
        made.stay();
        Ok(())
    }
}

/// Folders that were not there before, the outermost first. They go again when this is dropped,
/// unless somebody has put something into them.
struct MadeFolders(Vec<PathBuf>);

impl MadeFolders {
    /// Makes `path` and whatever is missing above it.
    fn down_to(path: &Path) -> io::Result<Self> {
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
    fn stay(mut self) {
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

/// Puts each file in its place. If one cannot be, those before it are taken back: what was there is
/// there again, what was not is gone.
fn replace(folder: &Path, files: Vec<(PathBuf, NamedTempFile)>) -> Result<(), Failure> {
    let aside = TempDir::new_in(folder).map_err(|error| refuse(folder, &error))?;
    let mut done: Vec<(PathBuf, Option<PathBuf>)> = Vec::new();
    for (path, file) in files {
        let previous = aside.path().join(done.len().to_string());
        let placed = remember(&path, &previous)
            .and_then(|was_there| file.persist(&path).map(|_| was_there).map_err(|e| e.error));
        match placed {
            Ok(was_there) => done.push((path, was_there.then_some(previous))),
            Err(error) => {
                for (path, previous) in done {
                    // Whether or not that works, the failure to tell is the first one.
                    let _ = match previous {
                        Some(previous) => fs::rename(previous, path),
                        None => fs::remove_file(path),
                    };
                }
                return Err(refuse(&path, &error));
            }
        }
    }
    Ok(())
}

/// Gives the file `path` a second name, or copies it where files can have but one; `false` if there
/// is none. The first name stays, so that the file is never missing.
fn remember(path: &Path, second: &Path) -> io::Result<bool> {
    if path.symlink_metadata().is_err() {
        return Ok(false);
    }
    fs::hard_link(path, second).or_else(|_| fs::copy(path, second).map(|_| ()))?;
    Ok(true)
}

/// A path on one line, whatever it is made of.
fn shown(path: &Path) -> String {
    path.to_string_lossy().escape_debug().to_string()
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
    Failure::run(format!("cannot write '{}': {error}", shown(path)))
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

    fn read(path: &Path) -> String {
        fs::read_to_string(path).unwrap()
    }

    #[test]
    fn files_appear_whole() {
        let home = tempfile::tempdir().unwrap();
        let out = home.path().join("a/./b");
        // A second run replaces the first.
        for content in ["# all", "# new"] {
            let folder = Folder::try_out("--out", &out).unwrap();
            folder.keep(&[("report.md", content)]).unwrap();
            assert_eq!(names(&out), ["report.md"]);
            assert_eq!(read(&out.join("report.md")), content);
        }
    }

    /// A run that fails, and one that is killed: nothing is there before the results are.
    #[test]
    fn trying_out_leaves_nothing() {
        let home = tempfile::tempdir().unwrap();
        let folder = Folder::try_out("--out", &home.path().join("a/b")).unwrap();
        assert_eq!(names(home.path()), [""; 0]);
        drop(folder);

        fs::write(home.path().join("mine"), "").unwrap();
        Folder::try_out("--out", home.path()).unwrap();
        assert_eq!(names(home.path()), ["mine"]);
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

    #[test]
    fn a_file_is_not_a_folder() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("file");
        fs::write(&file, "mine").unwrap();
        let failure = Folder::try_out("--out", &file).unwrap_err();
        assert!(matches!(&failure, Failure::Run(message) if message.contains("is not a folder")));
        let below = Folder::try_out("--out", &file.join("x\ny/z")).unwrap_err();
        assert!(
            matches!(&below, Failure::Run(message) if message.contains(r"file/x\ny/z") && message.contains("name another one"))
        );
        assert_eq!(read(&file), "mine");
    }

    #[test]
    #[cfg(unix)]
    fn a_link_to_nowhere_is_refused_and_stays() {
        let home = tempfile::tempdir().unwrap();
        let link = home.path().join("link");
        std::os::unix::fs::symlink("nowhere", &link).unwrap();
        for path in [link.clone(), link.join("below")] {
            assert!(Folder::try_out("--out", &path).is_err());
            assert!(link.symlink_metadata().is_ok());
            assert_eq!(names(home.path()), ["link"]);
        }
    }

    /// With a folder where the second file should go, the first is not written either.
    #[test]
    fn all_files_or_none() {
        let home = tempfile::tempdir().unwrap();
        let files = [("report.md", "new"), ("report.json", "new")];
        fs::create_dir(home.path().join("report.json")).unwrap();
        let folder = Folder::try_out("--out", home.path()).unwrap();
        assert!(folder.keep(&files).is_err());
        assert_eq!(names(home.path()), ["report.json"]);
    }

    /// The same where the obstacle comes up between the check and the writing: the first file is
    /// taken back, and what was there before is there again.
    #[test]
    fn a_failure_half_way_is_undone() {
        for before in [None, Some("old")] {
            let home = tempfile::tempdir().unwrap();
            let [first, second] = ["report.md", "report.json"].map(|name| home.path().join(name));
            if let Some(old) = before {
                fs::write(&first, old).unwrap();
            }
            fs::create_dir(&second).unwrap();
            let files = [&first, &second]
                .map(|path| (path.clone(), write(home.path(), "new").unwrap()))
                .into();
            assert!(replace(home.path(), files).is_err());
            assert_eq!(fs::read_to_string(&first).ok().as_deref(), before);
            let left = names(home.path()).len();
            assert_eq!(left, 1 + usize::from(before.is_some()));
        }
    }
}
