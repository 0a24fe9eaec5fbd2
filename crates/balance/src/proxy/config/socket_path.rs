//! Paths of Unix sockets.

use std::os::unix::net::SocketAddr;
use std::path::{self, Component, Path, PathBuf};

/// Whether the path ends with the name of a file: `.` and `..` are folders.
pub(super) fn names_a_file(written: &str) -> bool {
    !matches!(written.rsplit('/').next(), None | Some("" | "." | ".."))
}

/// Whether the system has no room for such a path.
pub(super) fn is_too_long(path: &Path) -> bool {
    SocketAddr::from_pathname(path).is_err()
}

/// The path by which the file is known however it was written: the system goes to the parent of
/// what a link leads to, so that `..` cannot be taken from the text alone. Where there is nothing
/// yet, it can.
///
/// The last name is not followed, since a socket is never made behind a link.
pub(super) fn resolved(path: &Path) -> PathBuf {
    let path = path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut folder = PathBuf::new();
    for component in path.parent().unwrap_or(&path).components() {
        if component == Component::ParentDir {
            folder.pop();
        } else {
            folder.push(component);
        }
        folder = folder.canonicalize().unwrap_or(folder);
    }
    match path.file_name() {
        Some(name) => folder.join(name),
        None => folder,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_file_is_known_by_one_path() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        fs::create_dir_all(home.join("far/folder")).unwrap();
        symlink("far/folder", home.join("link")).unwrap();
        for (written, expected) in [
            ("c.sock", "c.sock"),
            ("./c.sock", "c.sock"),
            ("far/../c.sock", "c.sock"),
            ("far/folder/../../c.sock", "c.sock"),
            ("link/c.sock", "far/folder/c.sock"),
            // The parent of the folder that the link leads to.
            ("link/../c.sock", "far/c.sock"),
            ("missing/../c.sock", "c.sock"),
            ("missing/c.sock", "missing/c.sock"),
            ("missing/../link/c.sock", "far/folder/c.sock"),
        ] {
            assert_eq!(
                resolved(&home.join(written)),
                home.join(expected),
                "{written}"
            );
        }
        assert_eq!(resolved(Path::new("/../../c.sock")), Path::new("/c.sock"));
    }

    #[test]
    fn folders_are_no_files() {
        for (written, expected) in [
            ("c.sock", true),
            ("a/c.sock", true),
            ("../c.sock", true),
            (".sock", true),
            ("..sock", true),
            ("", false),
            (".", false),
            ("..", false),
            ("a/", false),
            ("a/.", false),
            ("a/..", false),
            ("/", false),
        ] {
            assert_eq!(names_a_file(written), expected, "{written}");
        }
    }
}
