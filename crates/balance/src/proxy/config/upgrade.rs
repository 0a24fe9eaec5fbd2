use std::path::{Path, PathBuf};

use toml::Spanned;

use super::address::Address;
use super::listener::Listener;
use super::socket_path::{is_too_long, names_a_file};
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
    let written = value.get_ref();
    let path = folder.join(written);
    let refuse = |problem: &str| Err(source.refuse(value.span().start, "upgrade", problem));
    if !names_a_file(written) || written.contains('\0') {
        return refuse(&format!(
            "'{}' is not the path of a socket: write one such as \"/run/filch/upgrade\"",
            written.escape_debug()
        ));
    }
    if is_too_long(&before_it_is_ready(&path)) {
        return refuse(
            "this path with .new, where the socket is at first, is too long for a socket: use a \
             shorter one",
        );
    }
    let is_taken = |path: &Path| {
        let address = Address::Unix(path.into()).resolved();
        listeners.iter().any(|it| it.address.resolved() == address)
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
