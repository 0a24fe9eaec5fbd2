use std::path::{self, Path, PathBuf};

use toml::Spanned;

use super::address::Address;
use super::listener::Listener;
use super::source::{ConfigError, Source};
use crate::proxy::upgrade::before_it_is_ready;

/// The Unix socket at which a successor asks. Neither it nor the name that it has at first is one
/// of the listeners.
pub(super) fn upgrade(
    source: &Source<'_>,
    folder: &Path,
    raw: Option<&Spanned<String>>,
    listeners: &[Listener],
) -> Result<Option<PathBuf>, ConfigError> {
    let Some(value) = raw else { return Ok(None) };
    let path = folder.join(value.get_ref());
    let refuse = |problem: &str| Err(source.refuse(value.span().start, "upgrade", problem));
    let is_taken = |path: &Path| {
        let address = Address::Unix(path::absolute(path).unwrap_or(path.to_owned()).into());
        listeners.iter().any(|it| it.address == address)
    };
    if is_taken(&path) {
        return refuse("clients connect there: write another path");
    }
    if is_taken(&before_it_is_ready(&path)) {
        return refuse(
            "clients connect at this path with .new, where the socket is at first: write another \
             path",
        );
    }
    Ok(Some(path))
}
