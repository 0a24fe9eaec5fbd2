//! Accepts the connections of one listener.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::LazyConfigAcceptor;
use tokio_rustls::rustls::server::Acceptor as HelloReader;
use tokio_rustls::server::TlsStream;

use super::client_stream::ClientStream;
use super::front::Front;
use super::http1;
use super::http2;
use super::lingering::{Lingering, Rest};
use super::named_client::{NotNamed, named_client};
use super::open_connections::OpenConnection;
use crate::proxy::client_address::ClientAddress;
use crate::proxy::config::ProxyProtocol;
use crate::proxy::listening::Listening;
use crate::proxy::socket::Socket;
use crate::proxy::tls::{ClientCertificate, ToClients};
use crate::proxy::transport::Transport;

/// How long to wait if no connection can be accepted, because there are too many files for example.
const PAUSE: Duration = Duration::from_millis(100);

/// For a client whose handshake is refused, so that it reads the alert that says why.
const REFUSED: Rest = Rest {
    time: Duration::from_secs(1),
    bytes: 1 << 16,
};

/// A listener, and what clients may speak there.
pub(crate) struct Acceptor {
    pub(crate) front: Arc<Front>,
    /// Whether HTTP/2 is allowed.
    pub(crate) http2: bool,
    /// TLS, if connections use it.
    pub(crate) tls: Option<Arc<ToClients>>,
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
        if self.tls.is_none() {
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
            Ok(client) => client.map_or(peer, ClientAddress::from),
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
        let Some(tls) = &self.tls else {
            let stream = ClientStream::new(Transport::Plain(stream), client, limits.write, open);
            return http1::serve(Box::new(stream), &self.front, self.http2).await;
        };
        // Its state is large: on the heap it is there for as long as the handshake takes.
        let agreed = match Box::pin(self.handshake(tls, stream, limits.header)).await {
            Handshake::Agreed(agreed) => agreed,
            Handshake::Failed(error) => return self.front.handshake_failed(client, &error),
            Handshake::Refused(error, stream) => {
                self.front.handshake_failed(client, &error);
                // The client may have sent its request already.
                let mut last = Lingering::new(Transport::Plain(stream), open);
                last.linger(Some(REFUSED));
                return;
            }
            Handshake::Ended => return,
        };
        let stream = ClientStream::new(agreed.transport, client, limits.write, open);
        let stream = Box::new(stream.with_certificate(agreed.certificate));
        if agreed.http2 {
            Box::pin(http2::serve_agreed(stream, &self.front)).await;
        } else {
            http1::serve(stream, &self.front, false).await;
        }
    }

    /// Begins TLS within `time`.
    async fn handshake(&self, tls: &ToClients, stream: Socket, time: Duration) -> Handshake {
        let mut has_begun = false;
        let handshake = async {
            // A client that says nothing may only have looked whether the port is open.
            if !matches!(stream.peek(&mut [0]).await, Ok(1..)) {
                return Handshake::Ended;
            }
            has_begun = true;
            let hello = LazyConfigAcceptor::new(HelloReader::default(), stream).await;
            let hello = match hello {
                Ok(hello) => hello,
                Err(error) => return Handshake::Failed(error),
            };
            // A connection that has said nothing may be older than the certificates.
            let terms = tls.terms(&hello.client_hello());
            match hello.into_stream(terms.tls).into_fallible().await {
                Ok(stream) => Handshake::Agreed(Agreed::new(stream, terms.forward)),
                Err((error, stream)) => Handshake::Refused(error, stream),
            }
        };
        let done = tokio::select! {
            biased;
            done = timeout(time, handshake) => done,
            // Until the handshake is over, the connection is as idle as one that says nothing.
            () = self.front.draining().idle_is_over(Instant::now()) => return Handshake::Ended,
        };
        match done {
            Ok(done) => done,
            Err(_) if has_begun => Handshake::Failed(io::ErrorKind::TimedOut.into()),
            Err(_) => Handshake::Ended,
        }
    }
}

/// How a handshake ends.
enum Handshake {
    Agreed(Agreed),
    /// One side could not agree. If it was the proxy, it has sent an alert.
    Refused(io::Error, Socket),
    /// It has not come so far.
    Failed(io::Error),
    /// It has not begun, or the proxy stops.
    Ended,
}

/// What a handshake has led to.
struct Agreed {
    transport: Transport,
    /// Whether the client has chosen HTTP/2.
    http2: bool,
    /// The certificate of the client, if there is one and servers are to hear of it.
    certificate: Option<ClientCertificate>,
}

impl Agreed {
    fn new(stream: TlsStream<Socket>, forward: bool) -> Self {
        let (_, connection) = stream.get_ref();
        let shown = connection.peer_certificates().filter(|_| forward);
        Self {
            http2: connection.alpn_protocol() == Some(b"h2"),
            certificate: shown
                .and_then(|chain| chain.first())
                .map(ClientCertificate::new),
            transport: Transport::Tls(Box::new(stream.into())),
        }
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
