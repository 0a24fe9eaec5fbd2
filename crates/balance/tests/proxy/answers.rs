//! Answers that are ambiguous, break off or come early: what reaches the client must be clear.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::harness::{Behaviour, Connection, Proxy, Server};

const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n";

/// An answer with a length and an encoding ends where the encoding says (RFC 9112, section 6.3).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_length_beside_chunks_does_not_count() {
    for answer in [
        &b"HTTP/1.1 200 OK\r\ncontent-length: 20\r\ntransfer-encoding: chunked\r\n\r\n\
           3\r\nabc\r\n0\r\n\r\n"[..],
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 0\r\n\r\n\
          3\r\nabc\r\n0\r\n\r\n",
    ] {
        let server = Server::start(Behaviour::Say(answer)).await;
        let proxy = Proxy::before(&[&server], "").await;
        let mut connection = Connection::open(proxy.address).await;
        for _ in 0..2 {
            connection.write(GET).await;
            let answer = connection.answer().await.expect("an answer");
            assert_eq!((answer.status, answer.text()), (200, "abc"));
            assert_eq!(answer.header("content-length"), None);
        }
        drop(connection);
        proxy.finish().await;
    }
}

/// Equal lengths become one, and others are refused, also where there is no body.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_lengths() {
    for (answer, expected) in [
        (
            &b"HTTP/1.1 200 OK\r\ncontent-length: 2, 2\r\n\r\nok"[..],
            Some("2"),
        ),
        (
            b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\nok",
            Some("2"),
        ),
        (
            b"HTTP/1.1 200 OK\r\ncontent-length: 02\r\n\r\nok",
            Some("2"),
        ),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 2, 3\r\n\r\nok", None),
        (
            b"HTTP/1.1 304 Not Modified\r\ncontent-length: 2, 3\r\n\r\n",
            None,
        ),
    ] {
        let server = Server::start(Behaviour::Say(answer)).await;
        let proxy = Proxy::before(&[&server], "retries = 0").await;
        let mut connection = Connection::open(proxy.address).await;
        connection.write(GET).await;
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.extend(connection.bytes(1).await);
        }
        let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
        let lengths: Vec<_> = head
            .lines()
            .filter_map(|line| line.strip_prefix("content-length: "))
            .collect();
        match expected {
            Some(length) => assert_eq!(lengths, [length], "{head}"),
            None => assert!(head.starts_with("http/1.1 502"), "{head}"),
        }
        drop(connection);
        proxy.finish().await;
    }
}

/// The client gets what there was of an answer before it broke off.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_beginning_of_an_answer_that_breaks_off_arrives() {
    let cut = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this";
    let server = Server::start(Behaviour::Say(cut)).await;
    let proxy = Proxy::before(&[&server], "failures = { consecutive = 0 }").await;
    for _ in 0..50 {
        let mut connection = Connection::open(proxy.address).await;
        connection.write(GET).await;
        let mut got = connection.bytes(b"HTTP/1.1 200".len()).await;
        assert_eq!(got, b"HTTP/1.1 200");
        while !got.ends_with(b"\r\n\r\nonly this") {
            got.extend(connection.bytes(1).await);
        }
        assert!(connection.is_closed().await, "more came");
    }
    proxy.finish().await;
}

/// A client that asks for a WebSocket gets no tunnel with another protocol.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_switch_to_another_protocol_is_refused() {
    let switch = b"HTTP/1.1 101 Switching Protocols\r\n\
                   upgrade: h2c\r\nconnection: upgrade\r\n\r\nhello";
    let server = Server::start(Behaviour::Echo(switch)).await;
    let proxy = Proxy::before(&[&server], "retries = 0").await;
    let asks = b"GET / HTTP/1.1\r\nhost: a\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n";
    assert_eq!(proxy.send(asks).await.expect("an answer").status, 502);
    proxy.finish().await;
}

/// An answer to a request whose body has not been read is the last one of its connection, and says
/// so.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_early_answer_is_the_last() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = listener.local_addr().unwrap();
    let early = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.windows(4).any(|part| part == b"\r\n\r\n") {
            assert_ne!(stream.read_buf(&mut head).await.unwrap(), 0);
        }
        let answer = b"HTTP/1.1 413 Content Too Large\r\ncontent-length: 0\r\n\r\n";
        stream.write_all(answer).await.unwrap();
        // The proxy does not keep the connection either.
        while matches!(stream.read_buf(&mut head).await, Ok(1..)) {}
    });
    let proxy = Proxy::start(&format!(
        "access_log = \"off\"\n[admin]\naddress = \"127.0.0.1:0\"\n\
         [[listeners]]\naddress = \"127.0.0.1:0\"\n\
         [[groups]]\nname = \"all\"\n[[groups.servers]]\naddress = \"{server}\"\n"
    ));
    let mut connection = Connection::open(proxy.address).await;
    connection
        .write(b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nabc")
        .await;
    let answer = connection.answer().await.expect("an answer");
    assert_eq!(
        (answer.status, answer.header("connection")),
        (413, Some("close"))
    );
    assert!(connection.is_closed().await, "more came");
    early.await.unwrap();
    proxy.finish().await;
}
