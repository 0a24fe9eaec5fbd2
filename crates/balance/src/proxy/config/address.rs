use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{self, Path};
use std::sync::Arc;

use toml::Spanned;

use super::socket_path::{is_too_long, names_a_file, resolved};
use super::source::{ConfigError, Source};

/// How the address of a Unix socket begins.
const UNIX: &str = "unix:";

/// Where clients connect, or where a server is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// An IP address and a port.
    Ip(SocketAddr),
    /// A Unix socket.
    Unix(Arc<Path>),
}

impl Address {
    /// The IP address and the port, if it has them.
    pub fn ip(&self) -> Option<SocketAddr> {
        match self {
            Self::Ip(address) => Some(*address),
            Self::Unix(_) => None,
        }
    }

    /// The same for all ways to write it: a file of a socket has many paths.
    pub(crate) fn resolved(&self) -> Self {
        match self {
            Self::Ip(address) => Self::Ip(*address),
            Self::Unix(path) => Self::Unix(resolved(path).into()),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ip(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "{UNIX}{}", path.display()),
        }
    }
}

impl From<SocketAddr> for Address {
    fn from(address: SocketAddr) -> Self {
        Self::Ip(address)
    }
}

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

/// The same, or a Unix socket.
pub(super) fn listening_address(
    source: &Source<'_>,
    folder: &Path,
    field: &str,
    value: &Spanned<String>,
) -> Result<Address, ConfigError> {
    match unix_address(source, folder, field, value)? {
        Some(address) => Ok(address),
        None => own_address(source, field, value).map(Address::Ip),
    }
}

/// The address of a server: an IP address or a name, and a port, or a Unix socket. Names are
/// resolved here.
pub(super) fn server_address(
    source: &Source<'_>,
    folder: &Path,
    field: &str,
    value: &Spanned<String>,
) -> Result<Address, ConfigError> {
    let text = value.get_ref();
    let refuse = |problem: String| source.refuse(value.span().start, field, problem);
    if let Some(address) = unix_address(source, folder, field, value)? {
        return Ok(address);
    }
    if let Ok(address) = text.parse::<SocketAddr>() {
        return if address.port() == 0 {
            Err(refuse("port 0 is not the port of a server".into()))
        } else {
            Ok(address.into())
        };
    }
    let named = text.rsplit_once(':').is_some_and(|(host, port)| {
        let name = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-' || c == '_';
        !host.is_empty() && host.chars().all(name) && port.parse::<u16>().is_ok_and(|port| port > 0)
    });
    if !named {
        return Err(refuse(format!(
            "'{}' is not an address: write host and port, such as \"10.0.0.7:8000\" or \
             \"model-1:8000\", or a path, such as \"unix:/run/model.sock\"",
            text.escape_debug()
        )));
    }
    match text.to_socket_addrs().map(|mut found| found.next()) {
        Ok(Some(address)) => Ok(address.into()),
        Ok(None) => Err(refuse(format!("no address is known for '{text}'"))),
        Err(error) => Err(refuse(format!("cannot look up '{text}': {error}"))),
    }
}

/// The Unix socket that this names, if it does. The path as it is written is the name of a server
/// in metrics, in logs and in the paths of the admin address, so it has plain characters.
fn unix_address(
    source: &Source<'_>,
    folder: &Path,
    field: &str,
    value: &Spanned<String>,
) -> Result<Option<Address>, ConfigError> {
    let Some(written) = value.get_ref().strip_prefix(UNIX) else {
        return Ok(None);
    };
    let refuse = |problem: String| source.refuse(value.span().start, field, problem);
    if written.starts_with('@') {
        // In other programs this is a name of Linux's that has no file, and so no mode that says
        // who may connect.
        return Err(refuse(format!(
            "a socket has a file here: write \"{UNIX}./{}\" if its name begins with @",
            written.escape_debug()
        )));
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/.-_@+:".contains(c);
    if !names_a_file(written) || !written.chars().all(is_plain) {
        return Err(refuse(format!(
            "'{}' is not the path of a socket: write one such as \"unix:/run/filch.sock\", of \
             letters, digits and /.-_@+:",
            value.get_ref().escape_debug()
        )));
    }
    // A successor may write the path of its configuration in another way.
    let path = folder.join(written);
    let path = path::absolute(&path).unwrap_or(path);
    if is_too_long(&path) {
        return Err(refuse(format!(
            "the path '{path}' is too long for a socket: use a shorter one",
            path = path.to_string_lossy().escape_debug()
        )));
    }
    Ok(Some(Address::Unix(path.into())))
}
