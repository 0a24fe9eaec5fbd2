use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::server_stream::ServerStream;
use crate::proxy::config::{Address, Protocol};
use crate::proxy::failure::Failure;
use crate::proxy::socket::Socket;
use crate::proxy::tls::Secured;
use crate::proxy::transport::Transport;

/// How the servers of a group are connected to.
#[derive(Debug)]
pub(crate) struct Connector {
    pub(crate) protocol: Protocol,
    pub(crate) tls: Option<Secured>,
}

impl Connector {
    /// Whether connections that `other` has made can stay in use.
    pub(crate) fn connects_like(&self, other: &Self) -> bool {
        self.protocol == other.protocol
            && match (&self.tls, &other.tls) {
                (Some(one), Some(other)) => one.connects_like(other),
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
