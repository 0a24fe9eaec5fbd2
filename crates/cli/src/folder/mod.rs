//! Files that are there whole and together, or not at all.

mod destination;
mod made;
mod output_file;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempDir};

use crate::failure::Failure;
use destination::Destination;
pub(crate) use destination::temporary_in;
use made::MadeFolders;
pub(crate) use output_file::OutputFile;

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
                "{argument}: cannot write to the folder '{}' ({}): name another one",
                shown(path),
                cause(&error)
            ))
        })?;
        Ok(Self {
            path: path.to_path_buf(),
        })
    }

    /// Where the folder is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Puts all `files`, name and content, into the folder, and takes the files named in `stale`
    /// away: each file is complete when it appears, and all of this happens or nothing.
    pub(crate) fn keep(&self, files: &[(&str, &str)], stale: &[String]) -> Result<(), Failure> {
        let made = MadeFolders::down_to(&self.path).map_err(|error| refuse(&self.path, &error))?;
        let (mut written, mut in_place) = (Vec::new(), Vec::new());
        for &(name, content) in files {
            let path = self.path.join(name);
            match Destination::of(&path) {
                Destination::Folder => {
                    return Err(Failure::run(format!(
                        "cannot write '{}': there is a folder of that name",
                        shown(&path)
                    )));
                }
                Destination::Whole(target) => {
                    let file = destination::write_beside(&target, content);
                    written.push((target, file.map_err(|error| refuse(&path, &error))?));
                }
                other => in_place.push((path, other, content)),
            }
        }
        let stale = stale.iter().map(|name| self.path.join(name));
        replace(
            &self.path,
            written,
            stale.filter(|path| is_plain_file(path)).collect(),
        )?;
        made.stay();
        for (path, destination, content) in in_place {
            destination
                .write(content)
                .map_err(|error| refuse(&path, &error))?;
        }
        Ok(())
    }
}

fn is_plain_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_file())
}

/// Puts each file in its place and removes what is stale. If one of these cannot be done, those
/// before it are taken back: what was there is there again, what was not is gone.
fn replace(
    folder: &Path,
    files: Vec<(PathBuf, NamedTempFile)>,
    stale: Vec<PathBuf>,
) -> Result<(), Failure> {
    let aside = TempDir::new_in(folder).map_err(|error| refuse(folder, &error))?;
    let mut done: Vec<(PathBuf, Option<PathBuf>)> = Vec::new();
    let files = files.into_iter().map(|(path, file)| (path, Some(file)));
    for (path, file) in files.chain(stale.into_iter().map(|path| (path, None))) {
        let previous = aside.path().join(done.len().to_string());
        let placed = remember(&path, &previous).and_then(|was_there| {
            match file {
                Some(file) => file
                    .persist(&path)
                    .map(drop)
                    .map_err(|refused| refused.error)?,
                None => fs::remove_file(&path)?,
            }
            Ok(was_there)
        });
        match placed {
            Ok(was_there) => done.push((path, was_there.then_some(previous))),
            Err(error) => {
                for (path, previous) in done {
                    // Whether or not that works, the failure to tell is the first one.
                    let _ = match previous {
                        Some(previous) => fs::rename(&previous, &path)
                            .or_else(|_| fs::copy(&previous, &path).map(drop)),
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
    fs::hard_link(path, second).or_else(|_| fs::copy(path, second).map(drop))?;
    Ok(true)
}

/// A path on one line, whatever it is made of.
pub(crate) fn shown(path: &Path) -> String {
    path.to_string_lossy().escape_debug().to_string()
}

/// What the system says, without the temporary file that it happened to.
fn cause(error: &io::Error) -> String {
    let text = error.to_string();
    // So `tempfile` names it.
    let system = text.split_once(" at path \"");
    system
        .map_or(text.as_str(), |(system, _)| system)
        .to_owned()
}

fn refuse(path: &Path, error: &io::Error) -> Failure {
    Failure::run(format!("cannot write '{}': {}", shown(path), cause(error)))
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
            folder.keep(&[("report.md", content)], &[]).unwrap();
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
        assert!(folder.keep(&files, &[]).is_err());
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
                .map(|path| {
                    (
                        path.clone(),
                        destination::write_beside(path, "new").unwrap(),
                    )
                })
                .into();
            assert!(replace(home.path(), files, Vec::new()).is_err());
            assert_eq!(fs::read_to_string(&first).ok().as_deref(), before);
            let left = names(home.path()).len();
            assert_eq!(left, 1 + usize::from(before.is_some()));
        }
    }

    /// Files of an earlier run go with the new ones' coming, and stay if these cannot come.
    #[test]
    fn stale_files_go_at_once() {
        let home = tempfile::tempdir().unwrap();
        let old = home.path().join("old.csv");
        fs::write(&old, "old").unwrap();
        let folder = Folder::try_out("--out", home.path()).unwrap();
        let stale = ["old.csv".to_owned(), "missing.csv".to_owned()];
        fs::create_dir(home.path().join("report.json")).unwrap();
        assert!(folder.keep(&[("report.json", "new")], &stale).is_err());
        assert_eq!(read(&old), "old");
        folder.keep(&[("report.md", "new")], &stale).unwrap();
        let mut left = names(home.path());
        left.sort();
        assert_eq!(left, ["report.json", "report.md"]);
    }

    /// The name of the temporary file means nothing to a user.
    #[test]
    #[cfg(unix)]
    fn errors_name_no_temporary_file() {
        let home = tempfile::tempdir().unwrap();
        let error = NamedTempFile::new_in(home.path().join("none")).unwrap_err();
        assert_eq!(cause(&error), "No such file or directory (os error 2)");
    }

    /// A file of the folder that is a link stays one.
    #[test]
    #[cfg(unix)]
    fn links_in_the_folder_are_followed() {
        let home = tempfile::tempdir().unwrap();
        let (out, elsewhere) = (home.path().join("out"), home.path().join("elsewhere"));
        fs::create_dir(&out).unwrap();
        fs::write(&elsewhere, "old").unwrap();
        std::os::unix::fs::symlink(&elsewhere, out.join("report.md")).unwrap();
        let folder = Folder::try_out("--out", &out).unwrap();
        folder.keep(&[("report.md", "new")], &[]).unwrap();
        assert_eq!(read(&elsewhere), "new");
        assert!(
            out.join("report.md")
                .symlink_metadata()
                .unwrap()
                .is_symlink()
        );
    }
}
