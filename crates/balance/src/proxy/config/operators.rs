//! The addresses of the admin page and the metrics.

use std::net::SocketAddr;

use super::address::own_address;
use super::raw::RawAddress;
use super::source::{ConfigError, Source};

pub(super) fn admin(
    source: &Source<'_>,
    raw: Option<&RawAddress>,
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
    raw: Option<&RawAddress>,
    taken: &[SocketAddr],
) -> Result<(), ConfigError> {
    let Some(raw) = raw else { return Ok(()) };
    let address = own_address(source, field, &raw.address)?;
    if address.port() != 0 && taken.contains(&address) {
        let problem = format!("{address} is used above: use another port");
        return Err(source.refuse(raw.address.span().start, field, problem));
    }
    Ok(())
}
