//! Clients that ask for large answers and do not read them.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::sleep;

use crate::harness::{Behaviour, Connection, Proxy, Server, until};
use crate::http2::configuration;

/// An answer that is larger than all buffers.
fn large() -> Behaviour {
    let length = 10_000_000;
    let mut answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n").into_bytes();
    answer.resize(answer.len() + length, b'x');
    Behaviour::Say(answer.leak())
}

/// A connection on which little fits that is not read.
async fn narrow(proxy: &Proxy) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    socket.connect(proxy.address).await.unwrap()
}

/// A client of HTTP/2 allows any number of bytes on a hundred streams, and reads none. What the
/// proxy takes from servers for it is bounded for each stream.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_is_not_read_holds_little() {
    const STREAMS: u32 = 100;
    let server = Server::start(large()).await;
    let proxy = Proxy::start(&configuration("http2 = true", "", server.address));
    let mut client = narrow(&proxy).await;
    let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    // Windows of 2^31 - 1, for each stream by the settings and for the connection.
    bytes.extend(b"\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x04\x7f\xff\xff\xff");
    bytes.extend(b"\x00\x00\x04\x08\x00\x00\x00\x00\x00\x7f\xff\x00\x00");
    for stream in 0..STREAMS {
        bytes.extend(b"\x00\x00\x06\x01\x05");
        bytes.extend((2 * stream + 1).to_be_bytes());
        bytes.extend(b"\x82\x84\x86\x01\x01a");
    }
    client.write_all(&bytes).await.unwrap();
    until("all are being answered", async || {
        server.seen().len() == STREAMS as usize
    })
    .await;
    // As much as fits is taken within this time, or the test sees less than there may be.
    sleep(Duration::from_secs(1)).await;
    drop(client);
    until("all are logged", async || {
        proxy.log().len() == STREAMS as usize
    })
    .await;
    let taken: u64 = proxy
        .log()
        .iter()
        .filter_map(|line| line["bytes"].as_u64())
        .sum();
    // 64 KiB and the part that goes beyond them, and a socket's buffers.
    let most = u64::from(STREAMS) * (128 << 10) + (8 << 20);
    assert!(taken < most, "{taken} bytes are taken");
    proxy.finish().await;
}

/// Clients that do not read share a connection with HTTP/2 to a server with one that does: its
/// answer is not held up by theirs.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_that_do_not_read_hold_up_no_other() {
    let server = Server::start(large()).await;
    // It is the server with HTTP/2.
    let inner = Proxy::start(&configuration("http2 = true", "", server.address));
    let group = "protocol = \"http2\"\ntimeouts = { read = \"1h\" }";
    let text = configuration("[client]\nwrite = \"1h\"", group, inner.address);
    let outer = Proxy::start(&format!("threads = 1\n{text}"));
    let mut stalled = Vec::new();
    for _ in 0..20 {
        let mut client = narrow(&outer).await;
        client
            .write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n")
            .await
            .unwrap();
        // The answer has begun.
        client.read_u8().await.unwrap();
        stalled.push(client);
    }
    // As for how much fits, see above.
    sleep(Duration::from_secs(1)).await;
    server.behave(Behaviour::GOOD);
    let mut client = Connection::open(outer.address).await;
    client.write(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").await;
    let answer = client.answer().await.expect("an answer");
    assert_eq!((answer.status, answer.text()), (200, "hello"));
    drop((stalled, client));
    outer.finish().await;
    inner.finish().await;
}
