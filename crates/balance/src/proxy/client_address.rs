use std::fmt;
use std::net::{IpAddr, SocketAddr};

/// Where a client is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClientAddress {
    Ip(SocketAddr),
    /// On this machine: it came over a Unix socket, where clients have no address.
    Unix,
}

impl ClientAddress {
    pub(crate) fn ip(self) -> Option<IpAddr> {
        match self {
            Self::Ip(address) => Some(address.ip()),
            Self::Unix => None,
        }
    }
}

/// As the access log has it.
impl fmt::Display for ClientAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ip(address) => address.fmt(f),
            Self::Unix => f.write_str("unix:"),
        }
    }
}
