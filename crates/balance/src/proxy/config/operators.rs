//! The addresses of the admin page and the metrics, and the token of operators.

use std::fmt;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;

use toml::Spanned;

use super::address::own_address;
use super::raw::{RawAddress, RawAdmin};
use super::source::{ConfigError, Source};
use crate::proxy::shown_path::shown;

/// The fewest characters of a token.
const SHORTEST: usize = 16;

/// What an operator must know to change anything.
#[derive(Clone, PartialEq, Eq)]
pub struct AdminToken(String);

impl AdminToken {
    /// Whether this is the token. It takes as long for any text of the same length.
    pub(crate) fn is(&self, text: &[u8]) -> bool {
        let own = self.0.as_bytes();
        let differences = own.iter().zip(text).fold(0, |all, (a, b)| all | (a ^ b));
        own.len() == text.len() && differences == 0
    }
}

/// The token is not shown.
impl fmt::Debug for AdminToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AdminToken")
    }
}

pub(super) fn admin(
    source: &Source<'_>,
    raw: Option<&RawAdmin>,
) -> Result<Option<SocketAddr>, ConfigError> {
    let Some(raw) = raw else { return Ok(None) };
    let address = own_address(source, "admin.address", &raw.address)?;
    if !address.ip().is_loopback() {
        let problem = format!(
            "{} is not a loopback address, and the page has no password: use one such as \
             \"127.0.0.1:9900\"",
            address.ip()
        );
        return Err(source.refuse(raw.address.span().start, "admin.address", problem));
    }
    Ok(Some(address))
}

/// The token in the file that the configuration names, without spaces around it.
pub(super) fn admin_token(
    source: &Source<'_>,
    folder: &Path,
    raw: Option<&RawAdmin>,
) -> Result<Option<AdminToken>, ConfigError> {
    let Some(file) = raw.and_then(|raw| raw.token_file.as_ref()) else {
        return Ok(None);
    };
    let refuse = |problem| source.refuse(file.span().start, "admin.token_file", problem);
    let path = folder.join(file.get_ref());
    let text = fs::read_to_string(&path)
        .map_err(|error| refuse(format!("cannot read '{}': {error}", shown(&path))))?;
    let token = text.trim();
    if token.len() < SHORTEST || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(refuse(format!(
            "the token in '{}' is not good: use at least {SHORTEST} letters and digits",
            shown(&path)
        )));
    }
    Ok(Some(AdminToken(token.to_owned())))
}

pub(super) fn metrics(
    source: &Source<'_>,
    raw: Option<&RawAddress>,
) -> Result<Option<SocketAddr>, ConfigError> {
    raw.map(|raw| own_address(source, "metrics.address", &raw.address))
        .transpose()
}

/// Refuses an address at which another part of the proxy listens.
pub(super) fn refuse_the_same(
    source: &Source<'_>,
    field: &str,
    raw: Option<&Spanned<String>>,
    taken: &[SocketAddr],
) -> Result<(), ConfigError> {
    let Some(raw) = raw else { return Ok(()) };
    let address = own_address(source, field, raw)?;
    if address.port() != 0 && taken.contains(&address) {
        let problem = format!("{address} is used above: use another port");
        return Err(source.refuse(raw.span().start, field, problem));
    }
    Ok(())
}
