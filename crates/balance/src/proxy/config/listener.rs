use std::path::Path;

use toml::Spanned;

use super::address::{Address, listening_address};
use super::listener_tls::{ListenerTls, listener_tls};
use super::mode::mode;
use super::proxy_protocol::{ProxyProtocol, proxy_protocol};
use super::raw::RawListener;
use super::source::{ConfigError, Source};

/// An address where clients connect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listener {
    /// Where it is.
    pub address: Address,
    /// Who may connect, if it is a Unix socket: the permissions of its file.
    pub mode: u32,
    /// Whether HTTP/2 is allowed: over TLS by ALPN, without TLS by prior knowledge.
    pub http2: bool,
    /// The certificates, if connections use TLS.
    pub tls: Option<ListenerTls>,
    /// Who says by the PROXY protocol which client a connection is from.
    pub proxy_protocol: Option<ProxyProtocol>,
}

impl Listener {
    /// Whether servers are told of the certificates of clients.
    pub(crate) fn forwards_certificates(&self) -> bool {
        let clients = self.tls.as_ref().and_then(|tls| tls.clients.as_ref());
        clients.is_some_and(|clients| clients.forward)
    }
}

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
        let address = listening_address(source, folder, "listeners.address", &raw.address)?;
        let again = |earlier: &Listener| {
            earlier.address.resolved() == address.resolved()
                && address.ip().is_none_or(|it| it.port() != 0)
        };
        if listeners.iter().any(again) {
            let problem = format!("{address} is listed twice: remove one");
            return Err(source.refuse(at, "listeners.address", problem));
        }
        let tls = raw.tls.as_ref();
        let tls = tls
            .map(|raw| listener_tls(source, folder, raw))
            .transpose()?;
        // Over TLS the client says which it wants. Without TLS, servers behind the proxy may not
        // expect what HTTP/2 lets a client do, so there it is off unless the file asks for it.
        let http2 = raw
            .http2
            .as_ref()
            .map_or(tls.is_some(), |value| *value.get_ref());
        let named = raw.proxy_protocol.as_ref();
        let named = named.map(|raw| proxy_protocol(source, raw, &address));
        listeners.push(Listener {
            mode: permissions(source, raw, &address)?,
            address,
            http2,
            tls,
            proxy_protocol: named.transpose()?,
        });
    }
    Ok(listeners)
}

fn permissions(
    source: &Source<'_>,
    raw: &RawListener,
    address: &Address,
) -> Result<u32, ConfigError> {
    match (address, &raw.mode) {
        (Address::Ip(_), Some(value)) => {
            let problem = "only a Unix socket has one: remove it";
            Err(source.refuse(value.span().start, "listeners.mode", problem))
        }
        (_, value) => mode(source, value.as_ref()),
    }
}
