//! Load balancers that say by the PROXY protocol which client a connection is from.

use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use crate::harness::{
    Answer, Behaviour, Connection, HANG, Proxy, Server, encrypted_over, tls, until,
};
use crate::http2::configuration;

const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";

/// The clients of these tests are load balancers.
const BELIEVED: &str = "proxy_protocol = { from = [\"192.0.2.0/24\", \"127.0.0.1\"] }";

/// A header of version 2.
fn version_2(command: u8, family: u8, rest: &[u8]) -> Vec<u8> {
    let length = u16::try_from(rest.len()).unwrap().to_be_bytes();
    let start = b"\r\n\r\n\0\r\nQUIT\n";
    [&start[..], &[0x20 | command, family], &length, rest].concat()
}

/// The addresses of a connection from 203.0.113.7, port 4660, over IPv4.
const IPV4: [u8; 12] = [203, 0, 113, 7, 10, 0, 0, 1, 0x12, 0x34, 0, 80];

async fn start(server: &Server, listener: &str, rest: &str) -> Proxy {
    let text = configuration(listener, "", server.address);
    Proxy::start(&format!("{text}{rest}"))
}

/// Sends these parts, one after the other.
async fn send(proxy: &Proxy, parts: &[&[u8]]) -> Option<Answer> {
    let mut stream = TcpStream::connect(proxy.address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    for part in parts {
        // The proxy may have closed already, having read enough.
        let _ = stream.write_all(part).await;
        if parts.len() > 1 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
    Connection::over(stream).answer().await
}

/// The client that the server is told.
fn forwarded(server: &Server) -> String {
    let head = server.seen().last().unwrap().head.to_ascii_lowercase();
    let mut lines = head.lines();
    let value = lines.find_map(|line| line.strip_prefix("x-forwarded-for: "));
    value.unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn headers_name_clients() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = start(&server, BELIEVED, "").await;
    let mut ipv6 = [0; 36];
    ipv6[..4].copy_from_slice(&[0x20, 1, 0xd, 0xb8]);
    ipv6[15] = 7;
    ipv6[32..34].copy_from_slice(&[0x12, 0x34]);
    let fields = [&IPV4[..], &[4, 3, 0], &[9; 0x300]].concat();
    let line = b"PROXY TCP4 203.0.113.7 10.0.0.1 4660 80\r\n";
    let own = "127.0.0.1";
    for (header, client) in [
        (line.to_vec(), "203.0.113.7"),
        (
            b"PROXY TCP6 2001:db8::7 ::1 4660 80\r\n".to_vec(),
            "2001:db8::7",
        ),
        (b"PROXY UNKNOWN\r\n".to_vec(), own),
        (version_2(1, 0x11, &IPV4), "203.0.113.7"),
        (version_2(1, 0x11, &fields), "203.0.113.7"),
        (version_2(1, 0x21, &ipv6), "2001:db8::7"),
        (version_2(1, 0x31, &[b'/'; 216]), own),
        (version_2(1, 0x00, &[]), own),
        (version_2(0, 0x00, &[]), own),
    ] {
        let together = [&header[..], GET].concat();
        let ends = [&header[..], &GET[..9]].concat();
        let bytes: Vec<_> = header
            .chunks(header.len().div_ceil(40))
            .chain([GET])
            .collect();
        for parts in [
            &[&together[..]][..],
            &[&header, GET],
            &[&ends, &GET[9..]],
            &bytes,
        ] {
            let answer = send(&proxy, parts).await.expect("an answer");
            assert_eq!(answer.status, 200, "{header:?}");
            assert_eq!(forwarded(&server), client, "{header:?}");
        }
    }
    let named = proxy
        .log()
        .iter()
        .filter(|it| it["client"] == "203.0.113.7:4660")
        .count();
    assert_eq!(named, 12);
    proxy.finish().await;
}

/// Neither is answered, and nothing of it reaches a server.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_good_header_a_connection_is_closed() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = start(&server, BELIEVED, "").await;
    let long = format!("PROXY UNKNOWN {}\r\n", "f".repeat(92));
    let mut count = 0;
    for header in [
        &b""[..],
        b"PROXY TCP4 203.0.113.7 10.0.0.1 4660\r\n",
        b"PROXY TCP4 203.0.113.7 10.0.0.1 4660 80\n",
        b"\r\nPROXY UNKNOWN\r\n",
        b"proxy UNKNOWN\r\n",
        long.as_bytes(),
        &version_2(2, 0x11, &IPV4),
        &version_2(1, 0x11, &IPV4[..8]),
        &version_2(1, 0x41, &IPV4),
        &version_2(1, 0x11, &[&IPV4[..], &[4, 0, 9]].concat()),
        b"\x16\x03\x01\x02\x00\x01",
    ] {
        let bytes = [header, GET].concat();
        assert_eq!(send(&proxy, &[&bytes]).await, None, "{header:?}");
        count += 1;
    }
    until("all are logged", async || proxy.log().len() == count).await;
    for line in proxy.log() {
        let detail = "the connection does not begin with a PROXY header";
        assert_eq!(
            (&line["status"], &line["detail"]),
            (&().into(), &detail.into())
        );
        assert!(line["client"].as_str().unwrap().starts_with("127.0.0.1:"));
    }
    assert_eq!(
        proxy.metric("filch_requests_refused_total").await,
        count as f64
    );
    assert_eq!(server.seen().len(), 0);
    proxy.finish().await;
}

/// A client behind the balancer cannot name another client.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_header_is_no_request() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = start(&server, BELIEVED, "").await;
    let first = version_2(1, 0x11, &IPV4);
    for second in [
        b"PROXY TCP4 1.2.3.4 10.0.0.1 4660 80\r\n".to_vec(),
        version_2(1, 0x11, &IPV4),
        version_2(0, 0, &[]),
    ] {
        let bytes = [&first[..], &second, GET].concat();
        let answer = send(&proxy, &[&bytes]).await;
        assert_eq!(answer.expect("an answer").status, 400);
        // Nor after a request.
        let request = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n";
        let bytes = [&first[..], request, &second, GET].concat();
        let mut connection = Connection::open(proxy.address).await;
        connection.write(&bytes).await;
        assert_eq!(connection.answer().await.expect("an answer").status, 200);
        assert_eq!(connection.answer().await.expect("an answer").status, 400);
    }
    assert_eq!(server.seen().len(), 3);
    assert_eq!(forwarded(&server), "203.0.113.7");
    proxy.finish().await;
}

/// Whoever is not a load balancer is a client, whose header is no request.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_peers_are_not_believed() {
    let server = Server::start(Behaviour::GOOD).await;
    let listener = "proxy_protocol = { from = [\"192.0.2.0/24\"] }";
    let proxy = start(&server, listener, "").await;
    let line = b"PROXY TCP4 203.0.113.7 10.0.0.1 4660 80\r\n";
    for header in [line.to_vec(), version_2(1, 0x11, &IPV4)] {
        let bytes = [&header[..], GET].concat();
        let answer = send(&proxy, &[&bytes]).await.expect("an answer");
        assert_eq!(answer.status, 400);
    }
    assert_eq!(server.seen().len(), 0);
    assert_eq!(send(&proxy, &[GET]).await.expect("an answer").status, 200);
    assert_eq!(forwarded(&server), "127.0.0.1");
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_header_must_come_in_time() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = start(&server, BELIEVED, "[client]\nheader = \"300ms\"\n").await;
    // A balancer that looks whether the port is open is no news.
    assert!(Connection::open(proxy.address).await.is_closed().await);
    drop(TcpStream::connect(proxy.address).await.unwrap());
    for part in [&b"PROXY TCP4 203."[..], &version_2(1, 0x11, &IPV4)[..20]] {
        let before = proxy.log().len();
        until("it is logged", async || {
            let mut connection = Connection::open(proxy.address).await;
            connection.write(part).await;
            assert!(connection.is_closed().await);
            // On a busy machine nothing may have come in time.
            proxy.log().len() > before
        })
        .await;
    }
    for line in proxy.log() {
        assert_eq!(line["detail"], "the PROXY header took too long", "{line}");
    }
    proxy.finish().await;
}

/// The clients of one balancer are counted apart, and the balancer is not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_count_for_their_clients() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = start(&server, BELIEVED, "[client]\nconnections_each = 2\n").await;
    let mut open = Vec::new();
    for (client, status) in [(1, 200), (2, 200), (1, 200), (2, 200), (1, 503), (3, 200)] {
        let mut connection = Connection::open(proxy.address).await;
        let header = format!("PROXY TCP4 203.0.113.{client} 10.0.0.1 1 80\r\n");
        connection.write(header.as_bytes()).await;
        connection.write(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").await;
        let answer = connection.answer().await.expect("an answer");
        assert_eq!(answer.status, status, "{client}");
        open.push(connection);
    }
    drop(open);
    until("all are closed", async || {
        proxy.metric("filch_connections").await == 0.0
    })
    .await;
    proxy.finish().await;
}

/// IPv4 in IPv6 (`::ffff:0:0/96`) is how a socket of IPv6 names a client of IPv4: the client is the
/// same, wherever its address counts or is told.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_of_ipv4_has_one_form() {
    let servers = [
        Server::start(Behaviour::GOOD).await,
        Server::start(Behaviour::GOOD).await,
    ];
    let text = configuration(
        BELIEVED,
        "sticky = { by = \"address\" }",
        servers[0].address,
    );
    let second = format!("[[groups.servers]]\naddress = \"{}\"\n", servers[1].address);
    let proxy = Proxy::start(&format!("{text}{second}[client]\nconnections_each = 2\n"));
    let mut binary = [0; 36];
    binary[10..16].copy_from_slice(&[0xff, 0xff, 203, 0, 113, 7]);
    binary[32..34].copy_from_slice(&[0x12, 0x34]);
    let mut open = Vec::new();
    for (header, status) in [
        (
            b"PROXY TCP6 ::ffff:203.0.113.7 ::1 4660 80\r\n".to_vec(),
            200,
        ),
        (b"PROXY TCP4 203.0.113.7 10.0.0.1 4660 80\r\n".to_vec(), 200),
        (b"PROXY TCP6 ::ffff:cb00:7107 ::1 4660 80\r\n".to_vec(), 503),
        (version_2(1, 0x21, &binary), 503),
    ] {
        let mut connection = Connection::open(proxy.address).await;
        connection.write(&header).await;
        connection.write(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").await;
        let answer = connection.answer().await.expect("an answer");
        assert_eq!(answer.status, status, "{header:?}");
        open.push(connection);
    }
    let of_session = servers.iter().find(|it| !it.seen().is_empty()).unwrap();
    assert_eq!(of_session.seen().len(), 2, "the session is the same");
    assert_eq!(forwarded(of_session), "203.0.113.7");
    drop(open);
    until("all are logged", async || proxy.log().len() == 4).await;
    for line in proxy.log() {
        assert_eq!(line["client"], "203.0.113.7:4660", "{line}");
    }
    proxy.finish().await;
}

/// So it is for a client that connects to a socket of IPv6 by IPv4, balancers included.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_socket_of_ipv6_has_clients_of_ipv4() {
    let server = Server::start(Behaviour::GOOD).await;
    let text = |listener: &str| {
        let text = configuration(listener, "", server.address);
        let text = text.replace(
            "[[listeners]]\naddress = \"127.0.0.1:0\"",
            "[[listeners]]\naddress = \"[::]:0\"",
        );
        format!("{text}[client]\nconnections_each = 1\n")
    };
    // Not every machine has IPv6.
    if TcpListener::bind("[::]:0").await.is_err() {
        return;
    }
    let proxy = Proxy::start(&text(""));
    let address = SocketAddr::from(([127, 0, 0, 1], proxy.address.port()));
    let mut connection = Connection::open(address).await;
    connection.write(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").await;
    assert_eq!(connection.answer().await.expect("an answer").status, 200);
    assert_eq!(forwarded(&server), "127.0.0.1");
    let mut second = Connection::open(address).await;
    assert_eq!(second.answer().await.expect("an answer").status, 503);
    drop((connection, second));
    until("both are logged", async || proxy.log().len() == 2).await;
    for line in proxy.log() {
        assert!(
            line["client"].as_str().unwrap().starts_with("127.0.0.1:"),
            "{line}"
        );
    }
    proxy.finish().await;
    let proxy = Proxy::start(&text(BELIEVED));
    let address = SocketAddr::from(([127, 0, 0, 1], proxy.address.port()));
    let mut connection = Connection::open(address).await;
    connection
        .write(b"PROXY TCP4 203.0.113.7 10.0.0.1 4660 80\r\n")
        .await;
    connection.write(GET).await;
    assert_eq!(connection.answer().await.expect("an answer").status, 200);
    assert_eq!(forwarded(&server), "203.0.113.7");
    proxy.finish().await;
}

/// Sessions by address are those of the clients.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_have_servers_of_their_own() {
    let servers = [
        Server::start(Behaviour::GOOD).await,
        Server::start(Behaviour::GOOD).await,
    ];
    let text = configuration(
        BELIEVED,
        "sticky = { by = \"address\" }",
        servers[0].address,
    );
    let second = format!("[[groups.servers]]\naddress = \"{}\"\n", servers[1].address);
    let proxy = Proxy::start(&format!("{text}{second}"));
    for client in 0..20 {
        let header = format!("PROXY TCP4 203.0.113.{client} 10.0.0.1 1 80\r\n");
        for _ in 0..2 {
            let answer = send(&proxy, &[&[header.as_bytes(), GET].concat()]).await;
            assert_eq!(answer.expect("an answer").status, 200);
        }
    }
    for server in &servers {
        let seen = server.seen().len();
        assert!(seen > 0 && seen.is_multiple_of(2), "{seen}");
    }
    proxy.finish().await;
}

/// A connection that sends a header with its first bytes.
struct Named {
    header: Vec<u8>,
    stream: TcpStream,
}

impl AsyncRead for Named {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Named {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        let this = self.get_mut();
        if this.header.is_empty() {
            return Pin::new(&mut this.stream).poll_write(cx, bytes);
        }
        let both = [&this.header, bytes].concat();
        let written = ready!(Pin::new(&mut this.stream).poll_write(cx, &both))?;
        assert_eq!(written, both.len());
        this.header.clear();
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

/// TLS begins right behind the header, in the same segment or in another.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tls_follows_the_header() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = start(&server, &format!("{}\n{BELIEVED}", tls()), "").await;
    let header = version_2(1, 0x11, &[&IPV4[..], &[4, 1, 44], &[9; 300]].concat());
    for is_apart in [false, true] {
        let mut stream = TcpStream::connect(proxy.address).await.unwrap();
        let mut header = header.clone();
        if is_apart {
            stream.write_all(&header).await.unwrap();
            header.clear();
        }
        let stream = Named { header, stream };
        let mut stream = encrypted_over(stream, &["http/1.1"]).await.unwrap();
        stream.write_all(GET).await.unwrap();
        let mut answer = String::new();
        let read = stream.read_to_string(&mut answer);
        timeout(HANG, read).await.expect("an end in time").unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert_eq!(forwarded(&server), "203.0.113.7");
    }
    // Without a header there is no handshake.
    let stream = TcpStream::connect(proxy.address).await.unwrap();
    assert!(encrypted_over(stream, &["http/1.1"]).await.is_err());
    proxy.finish().await;
}

/// A header that does not get on is no request: the proxy does not wait for it when it stops.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopping_does_not_wait_for_headers() {
    let server = Server::start(Behaviour::GOOD).await;
    let text = configuration(BELIEVED, "", server.address);
    let text = format!("grace = \"1h\"\nlinger = \"300ms\"\n{text}[client]\nheader = \"1h\"\n");
    let proxy = Proxy::start(&text);
    let mut stuck = Connection::open(proxy.address).await;
    stuck.write(b"PROXY TCP4 ").await;
    until("it is accepted", async || {
        proxy.metric("filch_connections").await == 1.0
    })
    .await;
    let stopped = timeout(HANG, proxy.running.stop()).await;
    assert_eq!(stopped.expect("it stops"), 0);
}
