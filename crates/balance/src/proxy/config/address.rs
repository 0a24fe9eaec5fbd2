use std::net::{SocketAddr, ToSocketAddrs};

use toml::Spanned;

use super::source::{ConfigError, Source};

/// An address to listen at: an IP address and a port.
pub(super) fn own_address(
    source: &Source<'_>,
    field: &str,
    value: &Spanned<String>,
) -> Result<SocketAddr, ConfigError> {
    value.get_ref().parse().map_err(|_| {
        source.refuse(
            value.span().start,
            field,
            format!(
                "'{}' is not an IP address and port: write one such as \"127.0.0.1:8080\" or \
                 \"[::]:8080\"",
                value.get_ref().escape_debug()
            ),
        )
    })
}

/// The address of a server: an IP address or a name, and a port. Names are resolved here.
pub(super) fn server_address(
    source: &Source<'_>,
    field: &str,
    value: &Spanned<String>,
) -> Result<SocketAddr, ConfigError> {
    let text = value.get_ref();
    let refuse = |problem: String| source.refuse(value.span().start, field, problem);
    if let Ok(address) = text.parse::<SocketAddr>() {
        return if address.port() == 0 {
            Err(refuse("port 0 is not the port of a server".into()))
        } else {
            Ok(address)
        };
    }
    let named = text.rsplit_once(':').is_some_and(|(host, port)| {
        let name = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-' || c == '_';
        !host.is_empty() && host.chars().all(name) && port.parse::<u16>().is_ok_and(|port| port > 0)
    });
    if !named {
        return Err(refuse(format!(
            "'{}' is not an address: write host and port, such as \"10.0.0.7:8000\" or \
             \"model-1:8000\"",
            text.escape_debug()
        )));
    }
    match text.to_socket_addrs().map(|mut found| found.next()) {
        Ok(Some(address)) => Ok(address),
        Ok(None) => Err(refuse(format!("no address is known for '{text}'"))),
        Err(error) => Err(refuse(format!("cannot look up '{text}': {error}"))),
    }
}
