//! Clients that mean harm: whatever they do, other clients are served, and nothing stays behind.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::harness::{Behaviour, Connection, HANG, Proxy, Server, configuration, until};

const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n";

/// Asks as an honest client does.
async fn is_served(proxy: &Proxy) {
    let answer = proxy.get("/").await.expect("an answer");
    assert_eq!(answer.status, 200);
}

/// Waits until the proxy has no connection left, then stops it.
async fn nothing_is_left(proxy: Proxy) {
    until("the connections are closed", async || {
        proxy.metric("filch_connections").await == 0.0
    })
    .await;
    proxy.finish().await;
}

/// Half of six hundred clients send a header byte by byte, the others half of one and no more.
/// Others are served meanwhile, and each of the six hundred gets its 408.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_slow_headers() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::limiting("header = \"3s\"", &[&server], "");
    let mut slow = JoinSet::new();
    for number in 0..600 {
        let mut connection = Connection::open(proxy.address).await;
        connection.write(b"GET / HTTP/1.1\r\nhost: a\r\nx: ").await;
        slow.spawn(async move {
            let answer = if number % 2 == 0 {
                connection.trickle().await
            } else {
                connection.answer().await
            };
            answer.map(|answer| answer.status)
        });
    }
    for _ in 0..50 {
        is_served(&proxy).await;
    }
    while let Some(ended) = slow.join_next().await {
        assert_eq!(ended.unwrap(), Some(408));
    }
    assert_eq!(server.seen().len(), 50, "no half request has reached it");
    nothing_is_left(proxy).await;
}

/// Clients reset their connections at every stage of a request: leases come back, and no server is
/// blamed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_resets() {
    let server = Server::start(Behaviour::after(20)).await;
    let group = "failures = { consecutive = 1, pause = \"1h\" }";
    let proxy = Proxy::limiting("header = \"3s\"", &[&server], group);
    let stages: [&[u8]; 5] = [
        b"",
        b"GET / HT",
        b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nhello",
        b"POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel",
        GET,
    ];
    for number in 0..500 {
        let mut stream = TcpStream::connect(proxy.address).await.unwrap();
        stream
            .write_all(stages[number % stages.len()])
            .await
            .unwrap();
        if number % 3 == 0 {
            tokio::task::yield_now().await;
        }
        // Closing without lingering sends a reset.
        stream.set_zero_linger().unwrap();
    }
    is_served(&proxy).await;
    assert_eq!(proxy.server(&server).await["up"], true);
    nothing_is_left(proxy).await;
}

/// HTTP/2 without TLS, written frame by frame.
struct Frames(TcpStream);

const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
/// `GET http://a/`, by the static table of HPACK.
const HEAD: &[u8] = b"\x82\x86\x84\x41\x01a";

impl Frames {
    async fn open(proxy: &Proxy) -> Self {
        let mut frames = Self(TcpStream::connect(proxy.address).await.unwrap());
        let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
        frames.0.write_all(preface).await.unwrap();
        frames.write(SETTINGS, 0, 0, b"").await;
        frames
    }

    /// Returns whether the proxy still listens.
    async fn write(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> bool {
        let mut frame = Vec::from(&(payload.len() as u32).to_be_bytes()[1..]);
        frame.extend([kind, flags]);
        frame.extend(stream.to_be_bytes());
        frame.extend(payload);
        let written = self.0.write_all(&frame).await;
        written.is_ok()
    }

    /// Reads, and throws away, what comes until the proxy closes the connection.
    async fn until_closed(mut self) {
        let mut bytes = vec![0; 1 << 16];
        let end = async { while matches!(self.0.read(&mut bytes).await, Ok(1..)) {} };
        timeout(HANG, end).await.expect("the proxy closes");
    }
}

async fn http2_proxy(server: &Server) -> Proxy {
    let text = configuration(&[server], "");
    let listener = "[[listeners]]\naddress = \"127.0.0.1:0\"\n";
    assert!(text.contains(listener));
    let text = text.replace(listener, &format!("{listener}http2 = true\n"));
    Proxy::start(&format!("{text}[client]\nidle = \"1s\"\nheader = \"1s\"\n"))
}

/// Streams that are opened and reset at once (CVE-2023-44487): the proxy closes the connection long
/// before ten thousand of them have reached the server.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rapid_reset() {
    let server = Server::start(Behaviour::after(50)).await;
    let proxy = http2_proxy(&server).await;
    let mut frames = Frames::open(&proxy).await;
    for stream in (1..20_000).step_by(2) {
        let opened = frames
            .write(HEADERS, END_STREAM | END_HEADERS, stream, HEAD)
            .await;
        if !opened || !frames.write(RST_STREAM, 0, stream, &[0, 0, 0, 8]).await {
            break;
        }
    }
    is_served(&proxy).await;
    frames.until_closed().await;
    assert!(server.seen().len() < 1000, "{}", server.seen().len());
    nothing_is_left(proxy).await;
}

/// A header that goes on for ever in CONTINUATION frames (CVE-2024-27316) is cut off.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn continuation_without_end() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = http2_proxy(&server).await;
    let mut frames = Frames::open(&proxy).await;
    frames.write(HEADERS, END_STREAM, 1, HEAD).await;
    // A literal field, not indexed: "x" with a hundred bytes.
    let mut field = b"\x00\x01x\x64".to_vec();
    field.extend([b'y'; 100]);
    let mut sent = 0;
    while frames.write(CONTINUATION, 0, 1, &field.repeat(100)).await {
        sent += field.len() * 100;
        assert!(sent < 1 << 28, "it takes a header of 256 MB");
    }
    is_served(&proxy).await;
    assert_eq!(server.seen().len(), 1);
    nothing_is_left(proxy).await;
}

/// A hundred thousand frames that ask for an answer, which the client does not read: the proxy
/// stops to read them, or closes. Others are served.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn floods_of_pings_and_settings() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = http2_proxy(&server).await;
    for (kind, payload) in [(PING, &[0; 8][..]), (SETTINGS, &[])] {
        let mut frames = Frames::open(&proxy).await;
        let flood = tokio::spawn(async move {
            let mut sent = 0;
            while sent < 100_000 && frames.write(kind, 0, 0, payload).await {
                sent += 1;
            }
            std::future::pending::<()>().await;
        });
        for _ in 0..20 {
            is_served(&proxy).await;
        }
        flood.abort();
    }
    nothing_is_left(proxy).await;
}

/// A client that asks for an answer and does not read it, or does not let it be sent, does not hold
/// the server for longer than `client.write`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_that_are_not_read() {
    let mut large = b"HTTP/1.1 200 OK\r\ncontent-length: 50000000\r\n\r\n".to_vec();
    large.resize(large.len() + 50_000_000, b'x');
    let server = Server::start(Behaviour::Say(large.leak())).await;
    let text = configuration(&[&server], "failures = { consecutive = 1, pause = \"1h\" }");
    let listener = "[[listeners]]\naddress = \"127.0.0.1:0\"\n";
    let text = text.replace(listener, &format!("{listener}http2 = true\n"));
    let proxy = Proxy::start(&format!(
        "{text}[client]\nwrite = \"300ms\"\nidle = \"1s\"\n"
    ));
    let mut unread = Connection::open(proxy.address).await;
    unread.write(GET).await;
    let mut frames = Frames::open(&proxy).await;
    // Streams begin with no window at all.
    frames.write(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]).await;
    frames
        .write(HEADERS, END_STREAM | END_HEADERS, 1, HEAD)
        .await;
    until("both are served", async || server.seen().len() == 2).await;
    proxy.settled().await;
    let state = proxy.server(&server).await;
    assert_eq!((&state["up"], &state["failed"]), (&true.into(), &0.into()));
    drop((unread, frames));
    nothing_is_left(proxy).await;
}
