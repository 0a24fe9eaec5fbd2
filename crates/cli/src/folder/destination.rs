//! Where content goes that is meant for a path.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

/// What a path leads to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Destination {
    /// A regular file, or none yet, at this path, which is no link: the file is replaced whole.
    Whole(PathBuf),
    /// A device, a pipe or a socket: it is written to and stays what it is.
    InPlace(PathBuf),
    /// The program's own standard output or standard error, which may be a regular file that the
    /// shell holds open.
    StandardOutput,
    StandardError,
    /// A folder, into which nothing can be written.
    Folder,
}

/// So many links may follow one another, as on Linux.
const MOST_LINKS: usize = 40;

impl Destination {
    /// Follows links, also one to a file that is yet to be made.
    pub(super) fn of(path: &Path) -> Self {
        let mut path = path.to_path_buf();
        for _ in 0..MOST_LINKS {
            match path.to_str() {
                Some("/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1") => {
                    return Self::StandardOutput;
                }
                Some("/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2") => {
                    return Self::StandardError;
                }
                _ => {}
            }
            // What `/dev/fd/3` and its like lead to has a name only for the eye.
            let inside = |folder: &str| path.starts_with(folder);
            if inside("/dev/fd") || inside("/proc") {
                return Self::InPlace(path);
            }
            let Ok(target) = fs::read_link(&path) else {
                return match fs::metadata(&path) {
                    Ok(found) if found.is_dir() => Self::Folder,
                    Ok(found) if !found.is_file() => Self::InPlace(path),
                    _ => Self::Whole(path),
                };
            };
            // An absolute target replaces the path.
            path.pop();
            path.push(target);
        }
        // Links that go round: opening them fails, and the system says why.
        Self::InPlace(path)
    }

    /// Writes all of `content`.
    pub(super) fn write(&self, content: &str) -> io::Result<()> {
        let content = content.as_bytes();
        match self {
            Self::Whole(path) => {
                let file = write_beside_bytes(path, content)?;
                file.persist(path)
                    .map(drop)
                    .map_err(|refused| refused.error)
            }
            Self::InPlace(path) => {
                // Never made, should it have gone meanwhile.
                let mut file = OpenOptions::new().write(true).open(path)?;
                file.write_all(content)
            }
            Self::StandardOutput => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(content)?;
                stdout.flush()
            }
            Self::StandardError => io::stderr().write_all(content),
            Self::Folder => Err(io::ErrorKind::IsADirectory.into()),
        }
    }
}

/// The folder that a path is in.
pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// A temporary file next to `target` with this content, which may take its place.
pub(super) fn write_beside(target: &Path, content: &str) -> io::Result<NamedTempFile> {
    write_beside_bytes(target, content.as_bytes())
}

fn write_beside_bytes(target: &Path, content: &[u8]) -> io::Result<NamedTempFile> {
    let mut file = temporary_in(folder_of(target))?;
    file.as_file_mut().write_all(content)?;
    // What replaces a file is as private as that was.
    if let Ok(previous) = File::open(target).and_then(|previous| previous.metadata()) {
        file.as_file().set_permissions(previous.permissions())?;
    }
    Ok(file)
}

/// A temporary file in `folder` that may become a result.
pub(crate) fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    permit(&mut builder);
    builder.tempfile_in(folder)
}

/// Temporary files are private; results may be read as the user's mask allows.
#[cfg(unix)]
fn permit(builder: &mut Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn permit(_: &mut Builder<'_, '_>) {}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        fs::write(at("file"), "").unwrap();
        symlink("file", at("link")).unwrap();
        symlink("link", at("further")).unwrap();
        symlink("none", at("nowhere")).unwrap();
        symlink("round", at("round")).unwrap();
        symlink("/dev/null", at("null")).unwrap();
        symlink("/dev/stdout", at("out")).unwrap();
        for (name, expected) in [
            ("file", Destination::Whole(at("file"))),
            ("further", Destination::Whole(at("file"))),
            ("nowhere", Destination::Whole(at("none"))),
            ("new", Destination::Whole(at("new"))),
            ("null", Destination::InPlace("/dev/null".into())),
            ("out", Destination::StandardOutput),
            (".", Destination::Folder),
        ] {
            assert_eq!(Destination::of(&at(name)), expected, "{name}");
        }
        // A link to itself leads nowhere, and nothing can be written there.
        assert!(Destination::of(&at("round")).write("x").is_err());
        assert!(at("round").symlink_metadata().unwrap().is_symlink());
    }

    #[test]
    fn modes_stay() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("file");
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        Destination::of(&file).write("new").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
