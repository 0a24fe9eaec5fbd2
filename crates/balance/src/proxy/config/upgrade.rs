use std::path::{self, Path, PathBuf};

use toml::Spanned;

use super::address::Address;
use super::listener::Listener;
use super::source::{ConfigError, Source};

/// The Unix socket at which a successor asks, which is not one of the listeners.
pub(super) fn upgrade(
    source: &Source<'_>,
    folder: &Path,
    raw: Option<&Spanned<String>>,
    listeners: &[Listener],
) -> Result<Option<PathBuf>, ConfigError> {
    let Some(value) = raw else { return Ok(None) };
    let path = folder.join(value.get_ref());
    let address = Address::Unix(path::absolute(&path).unwrap_or(path.clone()).into());
    if listeners.iter().any(|it| it.address == address) {
        let problem = "clients connect there: write another path";
        return Err(source.refuse(value.span().start, "upgrade", problem));
    }
    Ok(Some(path))
}
