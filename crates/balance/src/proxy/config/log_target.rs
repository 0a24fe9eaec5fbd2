use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use toml::Spanned;

use super::source::{ConfigError, Source};
use crate::proxy::shown_path::shown;

/// Where the access log goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogTarget {
    /// Nowhere.
    Off,
    /// Standard output.
    Stdout,
    /// The end of this file; it is opened again on SIGHUP.
    File(PathBuf),
}

pub(super) fn log_target(
    source: &Source<'_>,
    folder: &Path,
    raw: Option<&Spanned<String>>,
) -> Result<LogTarget, ConfigError> {
    Ok(match raw.map(|value| value.get_ref().as_str()) {
        None | Some("stdout") => LogTarget::Stdout,
        Some("off") => LogTarget::Off,
        Some("") => {
            return Err(source.refuse(
                raw.map_or(0, |value| value.span().start),
                "access_log",
                "it is empty: write \"stdout\", \"off\" or the path of a file",
            ));
        }
        Some(path) => {
            let path = folder.join(path);
            if let Some(problem) = unusable(&path) {
                let at = raw.map_or(0, |value| value.span().start);
                return Err(source.refuse(at, "access_log", problem));
            }
            LogTarget::File(path)
        }
    })
}

/// Why lines cannot be written to this file. A file that is not there is not created, since
/// this is also the check of a configuration that is not to run.
fn unusable(path: &Path) -> Option<String> {
    let opened: std::io::Result<File> = OpenOptions::new().append(true).open(path);
    let error = match opened {
        Ok(_) => return None,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let folder = path.parent().filter(|folder| *folder != Path::new(""));
            let folder = folder.unwrap_or(Path::new("."));
            if folder.is_dir() {
                return None;
            }
            return Some(format!(
                "there is no folder '{}': create it, or write another path",
                shown(folder)
            ));
        }
        Err(error) => error,
    };
    Some(format!("cannot write to '{}': {error}", shown(path)))
}
