//! Small files of text.

use std::path::Path;
use std::{fs, io};

use crate::failure::Failure;

/// A file's text, if there is one.
pub(super) fn read(path: &Path) -> Result<Option<String>, Failure> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cannot("read", path, &error)),
    }
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|error| cannot("write", path, &error))
}

pub(super) fn create_folder(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|error| cannot("create", path, &error))
}

pub(super) fn remove(path: &Path) -> Result<(), Failure> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(cannot("remove", path, &error))
        }
        _ => Ok(()),
    }
}

pub(super) fn cannot(what: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::run(format!("cannot {what} {}: {error}", path.display()))
}
