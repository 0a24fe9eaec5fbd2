use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rustls_pki_types::{ServerName, TrustAnchor};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;

use super::server_stream::ServerStream;
use crate::proxy::config::{Address, Protocol};
use crate::proxy::failure::Failure;
use crate::proxy::socket::Socket;
use crate::proxy::transport::Transport;

/// How the servers of a group are connected to.
#[derive(Debug)]
pub(crate) struct Connector {
    pub(crate) protocol: Protocol,
    pub(crate) tls: Option<Secured>,
}

/// TLS to servers.
pub(crate) struct Secured {
    pub(crate) config: Arc<ClientConfig>,
    /// The name that their certificates must have.
    pub(crate) name: ServerName<'static>,
    /// The authorities that sign them, unless certificates are not verified.
    pub(crate) trusted: Option<Vec<TrustAnchor<'static>>>,
}

impl fmt::Debug for Secured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Secured").field(&self.name).finish()
    }
}

impl Connector {
    /// Whether connections that `other` has made can stay in use. The files of authorities may be
    /// the same and hold others.
    pub(crate) fn connects_like(&self, other: &Self) -> bool {
        let same =
            |one: &Secured, other: &Secured| one.name == other.name && one.trusted == other.trusted;
        self.protocol == other.protocol
            && match (&self.tls, &other.tls) {
                (Some(one), Some(other)) => same(one, other),
                (None, None) => true,
                _ => false,
            }
    }

    /// Connects within `time`, handshakes included. The server has `write` to accept each part of
    /// a request.
    pub(crate) async fn connect(
        &self,
        address: &Address,
        time: Duration,
        write: Duration,
    ) -> Result<ServerStream, Failure> {
        let transport = timeout(time, self.transport(address)).await;
        let transport = transport.unwrap_or(Err(Failure::ConnectTimedOut))?;
        Ok(ServerStream::new(transport, write))
    }

    async fn transport(&self, address: &Address) -> Result<Transport, Failure> {
        let stream = Socket::connect(address).await;
        let stream = stream.map_err(|error| Failure::NoConnection(error.raw_os_error()))?;
        stream.do_not_delay();
        let Some(tls) = &self.tls else {
            return Ok(Transport::Plain(stream));
        };
        let handshake =
            TlsConnector::from(Arc::clone(&tls.config)).connect(tls.name.clone(), stream);
        let stream = handshake.await.map_err(|_| Failure::Handshake)?;
        let agreed = stream.get_ref().1.alpn_protocol();
        if self.protocol == Protocol::Http2 && agreed != Some(b"h2") {
            return Err(Failure::Handshake);
        }
        Ok(Transport::Tls(Box::new(stream.into())))
    }
}
