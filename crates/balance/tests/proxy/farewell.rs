//! The end of connections with HTTP/2 over TLS: no request and no answer is lost.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_rustls::client::TlsStream;

use crate::harness::{Behaviour, HANG, Proxy, Server, encrypted_over, tls, until};
use crate::http2::configuration;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;

const ACK: u8 = 1;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// `GET https://a/` and `POST https://a/` by the static table of HPACK.
const GET: &[u8] = b"\x82\x84\x87\x01\x01a";
const POST: &[u8] = b"\x83\x84\x87\x01\x01a";

/// The largest window that the tests need.
const WINDOW: u32 = 1 << 23;

/// A client that sees every frame.
struct Client {
    stream: TlsStream<TcpStream>,
}

#[derive(Debug)]
struct Frame {
    kind: u8,
    flags: u8,
    payload: Vec<u8>,
}

impl Client {
    /// Connects, with a window that bounds no answer. The socket takes few bytes in advance.
    async fn open(proxy: &Proxy) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(16 << 10).unwrap();
        let stream = socket.connect(proxy.address).await.unwrap();
        let stream = encrypted_over(stream, &["h2"]).await.unwrap();
        let mut client = Self { stream };
        let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
        client.stream.write_all(preface).await.unwrap();
        let window = [&[0, 4][..], &WINDOW.to_be_bytes()].concat();
        client.send(SETTINGS, 0, 0, &window).await;
        client.give(WINDOW / 2).await;
        client
    }

    async fn send(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        let head = [&length[1..], &[kind, flags], &stream.to_be_bytes()].concat();
        // A proxy that has closed the connection is found out by what is read.
        let _ = self.stream.write_all(&[&head, payload].concat()).await;
        let _ = self.stream.flush().await;
    }

    /// Lets the proxy send more.
    async fn give(&mut self, bytes: u32) {
        self.send(WINDOW_UPDATE, 0, 0, &bytes.to_be_bytes()).await;
    }

    /// The next frame, or none at the end of the connection.
    async fn next(&mut self) -> Option<Frame> {
        let frame = async {
            let mut head = [0; 9];
            self.stream.read_exact(&mut head).await.ok()?;
            let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
            let mut payload = vec![0; length as usize];
            self.stream.read_exact(&mut payload).await.ok()?;
            let [kind, flags] = [head[3], head[4]];
            Some(Frame {
                kind,
                flags,
                payload,
            })
        };
        timeout(HANG, frame).await.expect("a frame in time")
    }

    /// Reads up to a frame of this kind.
    async fn until(&mut self, kind: u8) -> Frame {
        loop {
            let frame = self.next().await;
            let frame = frame.unwrap_or_else(|| panic!("an end before a frame of kind {kind}"));
            if frame.kind == kind && (kind != PING || frame.flags & ACK == 0) {
                return frame;
            }
        }
    }

    /// Reads up to the end of the answer that is under way.
    async fn answered(&mut self) {
        while self.until(DATA).await.flags & END_STREAM == 0 {}
    }
}

/// The last stream of a GOAWAY frame.
fn last_stream(frame: &Frame) -> u32 {
    u32::from_be_bytes(frame.payload[..4].try_into().unwrap())
}

/// A proxy that waits for long, and its server.
async fn proxy(behaviour: Behaviour) -> (Server, Proxy) {
    let server = Server::start(behaviour).await;
    let text = configuration(&tls(), "", server.address);
    let proxy = Proxy::start(&format!("grace = \"60s\"\nlinger = \"60s\"\n{text}"));
    (server, proxy)
}

/// A request may be on its way when the proxy says that it stops. It is answered, also if the
/// connection has been idle for longer than the proxy waits for a client to confirm.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_crosses_the_notice_is_answered() {
    let (server, proxy) = proxy(Behaviour::GOOD).await;
    let mut client = Client::open(&proxy).await;
    client.send(HEADERS, END_HEADERS | END_STREAM, 1, GET).await;
    client.answered().await;
    sleep(Duration::from_millis(1_500)).await;
    let stopping = tokio::spawn(proxy.running.stop());
    assert_eq!(last_stream(&client.until(GOAWAY).await), u32::MAX >> 1);
    // The confirmation comes after the request, as if both had been on their way.
    let ping = client.until(PING).await;
    client.send(HEADERS, END_HEADERS | END_STREAM, 3, GET).await;
    client.send(PING, ACK, 0, &ping.payload).await;
    let end = client.until(HEADERS).await;
    assert!(end.payload[0] == 0x88, "status 200: {end:?}");
    until("it has been served", async || server.seen().len() == 2).await;
    assert_eq!(stopping.await.unwrap(), 0);
}

/// The same before the proxy closes a connection that was idle for too long.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_crosses_the_end_of_idleness_is_answered() {
    let server = Server::start(Behaviour::GOOD).await;
    let listener = format!("{}\n[client]\nidle = \"1500ms\"", tls());
    let proxy = Proxy::start(&configuration(&listener, "", server.address));
    let mut client = Client::open(&proxy).await;
    client.send(HEADERS, END_HEADERS | END_STREAM, 1, GET).await;
    client.answered().await;
    client.until(GOAWAY).await;
    let ping = client.until(PING).await;
    client.send(HEADERS, END_HEADERS | END_STREAM, 3, GET).await;
    client.send(PING, ACK, 0, &ping.payload).await;
    client.answered().await;
    assert_eq!(server.seen().len(), 2);
    proxy.finish().await;
}

/// The proxy has written the last answer, but the client has not read it. The client sends windows
/// while it reads: if the socket were closed, they would reset the connection, and what the system
/// has not yet sent would be lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_answer_is_not_cut_off() {
    const BODY: usize = 1_000_000;
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {BODY}\r\n\r\n");
    let answer = [head.into_bytes(), vec![b'x'; BODY]].concat();
    let (server, proxy) = proxy(Behaviour::Say(answer.leak())).await;
    let mut client = Client::open(&proxy).await;
    client.send(HEADERS, END_HEADERS, 1, POST).await;
    until("it is in flight", async || {
        proxy.metric("filch_requests_in_flight").await == 1.0
    })
    .await;
    let stopping = tokio::spawn(proxy.running.stop());
    let ping = client.until(PING).await;
    client.send(PING, ACK, 0, &ping.payload).await;
    assert_eq!(last_stream(&client.until(GOAWAY).await), 1);
    // Nothing but the answer keeps the connection now. The body ends, and the answer comes.
    client.send(DATA, END_STREAM, 1, b"").await;
    until("the server has answered", async || server.seen().len() == 1).await;
    sleep(Duration::from_millis(300)).await;
    let mut read = 0;
    while read < BODY {
        let frame = client.next().await;
        let frame = frame.unwrap_or_else(|| panic!("cut off after {read} bytes"));
        if frame.kind == DATA && !frame.payload.is_empty() {
            read += frame.payload.len();
            client
                .give(u32::try_from(frame.payload.len()).unwrap())
                .await;
        }
    }
    drop(client);
    assert_eq!(stopping.await.unwrap(), 0);
}
