//! Which client a connection is from, by the header that its peer sends first.

use std::fmt;
use std::io;
use std::net::SocketAddr;

use tokio::io::AsyncReadExt as _;

use crate::proxy::proxy_header::ProxyHeader;
use crate::proxy::socket::Socket;

/// How many bytes are looked at once. Few headers are longer.
const PART: usize = 256;

/// Why it is not known which client a connection is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotNamed {
    /// The peer has said nothing.
    Nothing,
    /// The header has not ended in time.
    Late,
    /// The connection has ended within the header.
    Broken,
    /// It does not begin with a header.
    Malformed,
}

impl fmt::Display for NotNamed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "no PROXY header has come",
            Self::Late => "the PROXY header took too long",
            Self::Broken => "the connection ended within the PROXY header",
            Self::Malformed => "the connection does not begin with a PROXY header",
        })
    }
}

/// Reads the header, and not one byte more: what follows may be for TLS. Returns the client that
/// the header names, if it names one.
///
/// So bytes are first looked at and then read. None are looked at twice: those of a header that
/// goes on are read before the next are waited for.
///
/// `header` is empty. If this is dropped, it has what was read.
pub(super) async fn named_client(
    stream: &mut Socket,
    header: &mut Vec<u8>,
) -> Result<Option<SocketAddr>, NotNamed> {
    loop {
        let known = header.len();
        let broken = |_: io::Error| {
            if known == 0 {
                NotNamed::Nothing
            } else {
                NotNamed::Broken
            }
        };
        let mut part = [0; PART];
        let seen = stream.peek(&mut part).await.map_err(broken)?;
        if seen == 0 {
            return Err(broken(io::ErrorKind::UnexpectedEof.into()));
        }
        header.extend_from_slice(&part[..seen]);
        let (read, client) = match ProxyHeader::read(header) {
            ProxyHeader::Partial => (seen, None),
            ProxyHeader::Whole { length, client } => (length - known, Some(client)),
            ProxyHeader::Malformed => return Err(NotNamed::Malformed),
        };
        let taken = stream.read_exact(&mut part[..read]).await;
        taken.map_err(broken)?;
        if let Some(client) = client {
            return Ok(client);
        }
    }
}
