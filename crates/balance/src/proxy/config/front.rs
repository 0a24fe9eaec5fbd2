//! What faces clients and operators: listeners, limits, logs, the admin page.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use toml::Spanned;

use super::duration::duration;
use super::raw::{RawAddress, RawClient, RawListener, RawListenerTls};
use super::source::{ConfigError, Source};
use super::value::{own_address, whole};
use super::{AccessLog, Client, Forwarded, Listener, ListenerTls};
use crate::proxy::tls;

pub(super) fn listeners(
    source: &Source<'_>,
    folder: &Path,
    raw: &Spanned<Vec<RawListener>>,
) -> Result<Vec<Listener>, ConfigError> {
    if raw.get_ref().is_empty() {
        return Err(source.refuse(
            raw.span().start,
            "listeners",
            "there is none: add one such as [[listeners]] with address = \"127.0.0.1:8080\"",
        ));
    }
    let mut listeners: Vec<Listener> = Vec::new();
    for raw in raw.get_ref() {
        let at = raw.address.span().start;
        let address = own_address(source, "listeners.address", &raw.address)?;
        let again = |earlier: &Listener| earlier.address == address && address.port() != 0;
        if listeners.iter().any(again) {
            let problem = format!("{address} is listed twice: remove one");
            return Err(source.refuse(at, "listeners.address", problem));
        }
        let tls = raw.tls.as_ref();
        let tls = tls
            .map(|raw| listener_tls(source, folder, raw))
            .transpose()?;
        // Over TLS the client says what it wants. Without, Pingora has to wait for as many bytes as the
        // opening of HTTP/2 has before it knows, so that is on request.
        let http2 = raw
            .http2
            .as_ref()
            .map_or(tls.is_some(), |said| *said.get_ref());
        listeners.push(Listener {
            address,
            http2,
            tls,
        });
    }
    Ok(listeners)
}

fn listener_tls(
    source: &Source<'_>,
    folder: &Path,
    raw: &RawListenerTls,
) -> Result<ListenerTls, ConfigError> {
    let files = ListenerTls {
        certificate: folder.join(raw.certificate.get_ref()),
        key: folder.join(raw.key.get_ref()),
    };
    match tls::load(&files) {
        Ok(_) => Ok(files),
        Err(tls::Problem::Certificate(problem)) => Err(source.refuse(
            raw.certificate.span().start,
            "listeners.tls.certificate",
            problem,
        )),
        Err(tls::Problem::Key(problem)) => {
            Err(source.refuse(raw.key.span().start, "listeners.tls.key", problem))
        }
    }
}

pub(super) fn admin(
    source: &Source<'_>,
    raw: Option<&RawAddress>,
) -> Result<Option<SocketAddr>, ConfigError> {
    let Some(raw) = raw else { return Ok(None) };
    let address = own_address(source, "admin.address", &raw.address)?;
    if !address.ip().is_loopback() {
        let problem = format!(
            "{} is not a loopback address, and the page has no password: use one such as \"127.0.0.1:9900\"",
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

/// Two that listen at one address: the second could not.
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

pub(super) fn access_log(
    source: &Source<'_>,
    folder: &Path,
    raw: Option<&Spanned<String>>,
) -> Result<AccessLog, ConfigError> {
    Ok(match raw.map(|said| said.get_ref().as_str()) {
        None | Some("stdout") => AccessLog::Stdout,
        Some("off") => AccessLog::Off,
        Some("") => {
            return Err(source.refuse(
                raw.map_or(0, |said| said.span().start),
                "access_log",
                "it is empty: write \"stdout\", \"off\" or the path of a file",
            ));
        }
        Some(path) => AccessLog::File(folder.join(PathBuf::from(path))),
    })
}

pub(super) fn client(source: &Source<'_>, raw: &RawClient) -> Result<Client, ConfigError> {
    let minute = Duration::from_secs(60);
    let forwarded = match raw.forwarded.as_ref() {
        None => Forwarded::Replace,
        Some(said) => match said.get_ref().as_str() {
            "replace" => Forwarded::Replace,
            "append" => Forwarded::Append,
            other => {
                let problem = format!(
                    "'{}' is not allowed: write \"replace\" or \"append\"",
                    other.escape_debug()
                );
                return Err(source.refuse(said.span().start, "client.forwarded", problem));
            }
        },
    };
    // Pingora itself reads at most a mebibyte and 256 fields.
    let bytes = raw.header_bytes.as_ref();
    let headers = raw.headers.as_ref();
    Ok(Client {
        header_bytes: whole(source, "client.header_bytes", bytes, 256..=1_000_000)?
            .unwrap_or(64 * 1024),
        headers: whole(source, "client.headers", headers, 1..=256)?.unwrap_or(128),
        idle: duration(source, "client.idle", raw.idle.as_ref(), minute)?,
        read: duration(source, "client.read", raw.read.as_ref(), minute)?,
        write: duration(source, "client.write", raw.write.as_ref(), minute)?,
        forwarded,
    })
}
