//! Accepts the connections of one listener.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::LazyConfigAcceptor;
use tokio_rustls::rustls::server::Acceptor as HelloReader;

use super::client_stream::ClientStream;
use super::front::Front;
use super::http1;
use super::http2;
use super::named_client::{NotNamed, named_client};
use super::open_connections::OpenConnection;
use crate::proxy::certificate::Certificate;
use crate::proxy::client_address::ClientAddress;
use crate::proxy::config::ProxyProtocol;
use crate::proxy::listening::Listening;
use crate::proxy::socket::Socket;
use crate::proxy::transport::Transport;

/// How long to wait if no connection can be accepted, because there are too many files for example.
const PAUSE: Duration = Duration::from_millis(100);

/// A listener, and what clients may speak there.
pub(crate) struct Acceptor {
    pub(crate) front: Arc<Front>,
    /// Whether HTTP/2 is allowed.
    pub(crate) http2: bool,
    /// Connections use TLS if there is one.
    pub(crate) certificate: Option<Arc<Certificate>>,
    /// Who says by the PROXY protocol which client a connection is from.
    pub(crate) proxy_protocol: Option<Arc<ProxyProtocol>>,
}

impl Acceptor {
    /// Accepts connections until the proxy stops.
    pub(crate) async fn accept(self, listener: Listening) {
        let listener = match listener.into_tokio() {
            Ok(listener) => listener,
            Err(error) => return log::error!("cannot accept connections: {error}"),
        };
        let this = Arc::new(self);
        let draining = this.front.draining().has_begun_now();
        tokio::pin!(draining);
        loop {
            let accepted = tokio::select! {
                biased;
                () = &mut draining => return,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, client)) => this.welcome(stream, client),
                Err(error) => {
                    if !is_about_one(&error) {
                        log::error!("cannot accept connections: {error}");
                        sleep(PAUSE).await;
                    }
                }
            }
        }
    }

    fn welcome(self: &Arc<Self>, stream: Socket, client: ClientAddress) {
        let speaks = |it: &Arc<ProxyProtocol>| it.is_spoken_by(client);
        let is_named = self.proxy_protocol.as_ref().is_some_and(speaks);
        // A balancer's address says nothing about the client's, which counts when it is known.
        let address = if is_named { None } else { client.ip() };
        let Some(open) = self.front.admit(address) else {
            self.turn_away(&stream, client);
            return;
        };
        let this = Arc::clone(self);
        if is_named {
            tokio::spawn(async move { this.serve_named(stream, client, open).await });
        } else {
            tokio::spawn(async move { this.serve(stream, client, open).await });
        }
    }

    /// Answers a connection that is one too many, without waiting for anything.
    fn turn_away(&self, stream: &Socket, client: ClientAddress) {
        self.front.refused(client, StatusCode::SERVICE_UNAVAILABLE);
        if self.certificate.is_none() {
            // The request, if it is here, is read: closing the socket would reset it otherwise.
            let _ = stream.try_read(&mut [0; 4096]);
            let _ = stream.try_write(&http1::answer(StatusCode::SERVICE_UNAVAILABLE));
        }
    }

    /// Serves the client that the header of a connection names. Without a good header the
    /// connection is closed.
    async fn serve_named(&self, mut stream: Socket, peer: ClientAddress, open: OpenConnection) {
        // Its state is not large, but it is not there for longer than the header takes.
        let named = Box::pin(self.named(&mut stream)).await;
        let client = match named {
            Ok(client) => client.map_or(peer, ClientAddress::Ip),
            // Such as a balancer that looks whether the port is open.
            Err(NotNamed::Nothing) => return,
            Err(problem) => return self.front.closed(peer, &problem),
        };
        let Some(open) = self.front.admit_from(open, client.ip()) else {
            return self.turn_away(&stream, client);
        };
        self.serve(stream, client, open).await;
    }

    /// Reads the header of a connection within the time for a header.
    async fn named(&self, stream: &mut Socket) -> Result<Option<SocketAddr>, NotNamed> {
        let time = self.front.limits().header;
        let mut header = Vec::new();
        let named = tokio::select! {
            biased;
            named = timeout(time, named_client(stream, &mut header)) => named.ok(),
            // Until then the connection is as idle as one that says nothing.
            () = self.front.draining().idle_is_over(Instant::now()) => None,
        };
        named.unwrap_or(Err(if header.is_empty() {
            NotNamed::Nothing
        } else {
            NotNamed::Late
        }))
    }

    async fn serve(&self, stream: Socket, client: ClientAddress, open: OpenConnection) {
        stream.do_not_delay();
        let limits = self.front.limits();
        let Some(certificate) = &self.certificate else {
            let stream = ClientStream::new(Transport::Plain(stream), client, limits.write, open);
            return http1::serve(Box::new(stream), &self.front, self.http2).await;
        };
        // Its state is large: on the heap it is there for as long as the handshake takes.
        let handshake = Box::pin(self.handshake(certificate, stream, limits.header));
        let Some((transport, http2)) = handshake.await else {
            return;
        };
        let stream = Box::new(ClientStream::new(transport, client, limits.write, open));
        if http2 {
            Box::pin(http2::serve_agreed(stream, &self.front)).await;
        } else {
            http1::serve(stream, &self.front, false).await;
        }
    }

    /// Begins TLS within `time`. Returns the connection, and whether the client has chosen HTTP/2.
    async fn handshake(
        &self,
        certificate: &Certificate,
        stream: Socket,
        time: Duration,
    ) -> Option<(Transport, bool)> {
        let handshake = async {
            let hello = LazyConfigAcceptor::new(HelloReader::default(), stream).await?;
            // A connection that has said nothing may be older than the certificate.
            hello.into_stream(certificate.tls()).await
        };
        let stream = tokio::select! {
            biased;
            done = timeout(time, handshake) => done.ok()?.ok()?,
            // Until the handshake is over, the connection is as idle as one that says nothing.
            () = self.front.draining().idle_is_over(Instant::now()) => return None,
        };
        let http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        Some((Transport::Tls(Box::new(stream.into())), http2))
    }
}

/// Whether the error is about one connection, which its client has given up.
fn is_about_one(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
    )
}
