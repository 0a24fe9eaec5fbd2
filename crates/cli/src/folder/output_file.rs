//! One file that an argument names.

use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::destination::{Destination, folder_of};
use super::made::MadeFolders;
use super::{cause, shown};
use crate::failure::Failure;

/// A file for results, such as that of `--svg`. Whether it can be written is tried out before the
/// run; folders above it are made when it is written.
#[derive(Debug)]
pub(crate) struct OutputFile {
    argument: &'static str,
    path: PathBuf,
    destination: Destination,
}

impl OutputFile {
    /// Tries out `path`, which `argument` named.
    pub(crate) fn try_out(argument: &'static str, path: &Path) -> Result<Self, Failure> {
        let named = path.file_name().is_some();
        let destination = Destination::of(path);
        if !named || destination == Destination::Folder {
            return Err(Failure::usage(format!(
                "{argument}: '{}' is not the name of a file: add one to it",
                shown(path)
            )));
        }
        let file = Self {
            argument,
            path: path.to_path_buf(),
            destination,
        };
        if let Destination::Whole(target) = &file.destination {
            let folder = folder_of(target);
            let probe = MadeFolders::down_to(folder)
                .and_then(|_made| NamedTempFile::new_in(folder).map(drop));
            probe.map_err(|error| file.refuse(&error))?;
        }
        Ok(file)
    }

    /// Writes the content: the file appears whole, or not at all.
    pub(crate) fn write(&self, content: &str) -> Result<(), Failure> {
        let write = || {
            let made = match &self.destination {
                Destination::Whole(target) => Some(MadeFolders::down_to(folder_of(target))?),
                _ => None,
            };
            self.destination.write(content)?;
            if let Some(made) = made {
                made.stay();
            }
            Ok(())
        };
        write().map_err(|error| match self.destination {
            Destination::StandardOutput => Failure::printing(&error),
            _ => self.refuse(&error),
        })
    }

    fn refuse(&self, error: &std::io::Error) -> Failure {
        Failure::run(format!(
            "{}: cannot write '{}': {}",
            self.argument,
            shown(&self.path),
            cause(error)
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn folders_are_made_with_the_file() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a/b/c.svg");
        let file = OutputFile::try_out("--svg", &path).unwrap();
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
        file.write("picture").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "picture");
    }

    #[test]
    fn a_folder_is_no_file() {
        let home = tempfile::tempdir().unwrap();
        for path in [home.path(), Path::new("/"), Path::new("..")] {
            let refused = OutputFile::try_out("--svg", path);
            assert!(matches!(refused, Err(Failure::Usage(_))), "{path:?}");
        }
        fs::write(home.path().join("file"), "").unwrap();
        let refused = OutputFile::try_out("--svg", &home.path().join("file/below"));
        assert!(matches!(refused, Err(Failure::Run(_))));
    }
}
