use std::path::{Path, PathBuf};

use toml::Spanned;

use super::source::{ConfigError, Source};

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
        Some(path) => LogTarget::File(folder.join(path)),
    })
}
