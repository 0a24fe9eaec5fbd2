use std::fmt;
use std::net::{IpAddr, SocketAddr};

use http::HeaderValue;

/// Where a client is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClientAddress {
    /// Never IPv4 in IPv6: see [`from`](Self::from).
    Ip(SocketAddr),
    /// On this machine: it came over a Unix socket, where clients have no address.
    Unix,
}

impl ClientAddress {
    /// What servers are told in `x-forwarded-for`, if there is an address to tell.
    pub(crate) fn forwarded_for(self) -> Option<HeaderValue> {
        HeaderValue::try_from(self.ip()?.to_string()).ok()
    }

    pub(crate) fn ip(self) -> Option<IpAddr> {
        match self {
            Self::Ip(address) => Some(address.ip()),
            Self::Unix => None,
        }
    }
}

/// A socket of IPv6 calls a client of IPv4 `::ffff:a.b.c.d`, and so may a load balancer. It is the
/// same client as `a.b.c.d`, for limits, sessions and servers.
impl From<SocketAddr> for ClientAddress {
    fn from(address: SocketAddr) -> Self {
        Self::Ip(match address.ip().to_canonical() {
            ip @ IpAddr::V4(_) => SocketAddr::new(ip, address.port()),
            // With the zone of a local address.
            IpAddr::V6(_) => address,
        })
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
