//! Requests whose end could be read in two ways: what reaches the server must be read in one.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::harness::{Behaviour, Connection, Proxy, Server, configuration};

/// A second request, hidden in what may be taken for the body of the first.
const HIDDEN: &str = "GET /hidden HTTP/1.1\r\nhost: a\r\n\r\n";

/// Sends `head` followed by `rest`. Returns the status of the first answer and the request lines
/// that the server saw.
async fn smuggle(head: &str, rest: &str) -> (Option<u16>, Vec<String>) {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::before(&[&server], "").await;
    let mut connection = Connection::open(proxy.address).await;
    connection
        .write(format!("{head}\r\n\r\n{rest}").as_bytes())
        .await;
    let status = connection.answer().await.map(|answer| answer.status);
    // Reads all answers, until the connection ends or this good request is answered.
    connection
        .write(b"GET /last HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
        .await;
    while connection.answer().await.is_some() {}
    drop(connection);
    proxy.settled().await;
    let seen = server.seen();
    for request in &seen {
        let head = request.head.to_ascii_lowercase();
        let framed = [
            head.matches("\r\ncontent-length:").count(),
            head.matches("\r\ntransfer-encoding:").count(),
        ];
        assert!(framed.iter().sum::<usize>() <= 1, "ambiguous: {head}");
        assert!(
            !head.contains("\r\n ") && !head.contains("\r\n\t"),
            "folded: {head}"
        );
        let lines = head.split("\r\n");
        let plain = |line: &str| !line.contains(['\r', '\n', '\0']);
        assert!(lines.into_iter().all(plain), "{head:?}");
    }
    // The connection to the server is not damaged.
    assert_eq!(proxy.get("/after").await.expect("an answer").status, 200);
    let line = |seen: &crate::harness::Seen| seen.head.lines().next().unwrap().to_owned();
    proxy.finish().await;
    (status, seen.iter().map(line).collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn malformed_framing_is_refused() {
    for head in [
        "POST /x HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\ncontent-length: 6",
        "POST /x HTTP/1.1\r\nhost: a\r\ncontent-length: 5, 6",
        "POST /x HTTP/1.1\r\nhost: a\r\ncontent-length: 2, 2",
        "POST /x HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\ncontent-length: 2",
        "POST /x HTTP/1.1\r\nhost: a\r\ncontent-length: +5",
        "POST /x HTTP/1.1\r\nhost: a\r\ncontent-length: -1",
        "POST /x HTTP/1.1\r\nhost: a\r\ncontent-length: 0x5",
        "POST /x HTTP/1.1\r\nhost: a\r\ncontent-length: 99999999999999999999999",
        "POST /x HTTP/1.1\r\nhost: a\r\ncontent-length : 5",
        "POST /x HTTP/1.1\r\nhost: a\r\ntransfer-encoding : chunked",
        "POST /x HTTP/1.1\r\nhost: a\r\ntransfer-encoding: xchunked",
        "POST /x HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked, identity",
        "POST /x HTTP/1.1\r\nhost: a\r\ntransfer-encoding: gzip, chunked",
        "POST /x HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked, chunked",
        "POST /x HTTP/1.1\r\nhost: a\r\ntransfer-encoding: gzip\r\ntransfer-encoding: chunked",
        "POST /x HTTP/1.1\r\nx: y",
        "POST /x HTTP/1.1\r\nhost: a b",
        "POST /x HTTP/1.1\r\nhost: a,b",
        "POST /x HTTP/1.1\r\nhost: *",
        "POST /x HTTP/1.1\r\nhost: ..",
        "POST /x HTTP/1.1\r\nhost: [zz]",
        "POST /x HTTP/1.1\r\nhost: a:+80",
        "POST /x HTTP/1.1\r\nhost: a:99999",
        "POST http://u@a/x HTTP/1.1\r\nhost: u@a",
        "POST /x HTTP/1.1\r\nhost: a/b",
        "POST /x HTTP/1.0\r\nhost: a\r\ntransfer-encoding: chunked",
        "POST /x HTTP/1.1\r\nhost: a\r\nx: y\r\n content-length: 5",
        "POST /x HTTP/1.1\r\nhost: a\r\n folded: 1",
        "POST /x HTTP/1.1\r\nhost: a\r\nhost: b",
        "POST /x HTTP/1.1\r\nhost: a\r\nx\0y: z",
        "POST /x HTTP/1.1\r\nhost: a\r\nx: y\0z",
        "POST /x HTTP/1.1\r\nhost: a\r\nno colon",
        "POST /x HTTP/9.9\r\nhost: a",
        "POST http://b/x HTTP/1.1\r\nhost: a",
    ] {
        let (status, seen) = smuggle(head, HIDDEN).await;
        assert!(
            matches!(status, None | Some(400..=499)),
            "{head:?}: {status:?}"
        );
        assert_eq!(seen, [""; 0], "{head:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_length_beside_chunks_does_not_count() {
    let head = "POST /x HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\ntransfer-encoding: chunked";
    let (status, seen) = smuggle(head, &format!("0\r\n\r\n{HIDDEN}")).await;
    // By RFC 9112 it is normalised, and the connection is not used again.
    assert!(matches!(status, Some(200 | 400)), "{status:?}");
    assert!(
        seen.iter().all(|line| line == "POST /x HTTP/1.1"),
        "{seen:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn malformed_chunks_end_the_connection() {
    for chunks in [
        "zz\r\nabc\r\n0\r\n\r\n",
        "-1\r\nabc\r\n0\r\n\r\n",
        "3 3\r\nabc\r\n0\r\n\r\n",
        "ffffffffffffffffff\r\nabc\r\n0\r\n\r\n",
        "3\r\nabcdef\r\n0\r\n\r\n",
        "3\nabc\n0\n\n",
        "0\r\n\n",
        "1\r\nA\r\n0\r\nx: y\n\n",
        // An end of line too few, and then an end that hyper would find.
        "1\r\nA\r\n0\r\nx: y\n\nz\r\n\r\n",
    ] {
        let head = "POST /x HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked";
        let (status, seen) = smuggle(head, &format!("{chunks}{HIDDEN}")).await;
        assert_eq!(status, Some(400), "{chunks:?}");
        assert!(
            seen.iter().all(|line| line == "POST /x HTTP/1.1"),
            "{chunks:?}: {seen:?}"
        );
    }
}

/// Answers as soon as the head of a request is there, and keeps all that it reads.
async fn hasty_server(listener: TcpListener, seen: Arc<Mutex<Vec<u8>>>) {
    async fn attend(mut stream: TcpStream, seen: Arc<Mutex<Vec<u8>>>) {
        let mut bytes = vec![0; 4096];
        while let Ok(size @ 1..) = stream.read(&mut bytes).await {
            let part = &bytes[..size];
            seen.lock().unwrap().extend_from_slice(part);
            if part.windows(9).any(|part| part == b" HTTP/1.1") {
                let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
                stream.write_all(answer).await.unwrap();
            }
        }
    }
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(attend(stream, Arc::clone(&seen)));
    }
}

/// The answer comes before the end of the request: what hyper then reads of the rest must not make
/// a request of it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn malformed_chunks_after_an_early_answer_end_the_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let seen = Arc::<Mutex<Vec<u8>>>::default();
    let hasty = tokio::spawn(hasty_server(listener, Arc::clone(&seen)));
    let unused = Server::start(Behaviour::GOOD).await;
    let text = configuration(&[&unused], "");
    let proxy = Proxy::start(&text.replace(&unused.address.to_string(), &address));
    for fields in ["", "connection: close\r\n", "content-length: 4\r\n"] {
        for chunks in ["0\r\n\n", "1\r\nA\r\n0\r\nx: y\n\n", "1\r\nA\r\n0\n\r\n"] {
            let mut connection = Connection::open(proxy.address).await;
            let head = "POST /x HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked";
            let request = format!("{head}\r\n{fields}\r\n{chunks}{HIDDEN}");
            connection.write(request.as_bytes()).await;
            let first = connection.answer().await.map(|answer| answer.status);
            assert!(matches!(first, Some(200 | 400)), "{request:?}: {first:?}");
            let second = connection.answer().await;
            assert_eq!(second, None, "{request:?}");
        }
    }
    proxy.finish().await;
    hasty.abort();
    let seen = String::from_utf8(seen.lock().unwrap().clone()).unwrap();
    assert!(!seen.contains("/hidden"), "{seen}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_length_that_no_body_has_is_refused() {
    for length in [u64::MAX, u64::MAX - 1, 1 << 63] {
        let head = format!("POST /x HTTP/1.1\r\nhost: a\r\ncontent-length: {length}");
        let (status, seen) = smuggle(&head, HIDDEN).await;
        assert_eq!((status, seen), (Some(400), Vec::new()), "{length}");
    }
}

/// A reader may take a number that begins with a zero for an octal one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_length_has_no_leading_zeros() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::before(&[&server], "").await;
    for (length, expected) in [
        ("010", "10"),
        ("10", "10"),
        ("00000000000000000000010", "10"),
    ] {
        let request = format!(
            "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n\
             0123456789"
        );
        let answer = proxy.send(request.as_bytes()).await.expect("an answer");
        assert_eq!(answer.status, 200);
        let seen = server.seen().pop().unwrap();
        let line = format!("\r\ncontent-length: {expected}\r\n");
        assert!(
            format!("{}\r\n", seen.head).contains(&line),
            "{}",
            seen.head
        );
        assert_eq!(seen.body, b"0123456789");
    }
    proxy.finish().await;
}

/// Without a path a server would read `GET  HTTP/1.1` in a way of its own: Python's answers it
/// with HTTP/0.9, and would be paused for that.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_always_get_a_path() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::before(&[&server], "").await;
    for (target, path) in [
        ("http://a#x", "/"),
        ("http://a", "/"),
        ("http://a?x#y", "/?x"),
        ("http://a/#x", "/"),
        ("/#x", "/"),
    ] {
        let request = format!("GET {target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
        let answer = proxy.send(request.as_bytes()).await.expect("an answer");
        assert_eq!(answer.status, 200);
        let seen = server.seen().pop().unwrap();
        let line = seen.head.lines().next().unwrap();
        assert_eq!(line, format!("GET {path} HTTP/1.1"), "{target}");
    }
    proxy.finish().await;
}

/// HTTP/1.1 requires the field, even if HTTP/1.0 has not named a host.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_always_get_a_host() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::before(&[&server], "").await;
    let answer = proxy.send(b"GET / HTTP/1.0\r\n\r\n").await;
    assert_eq!(answer.expect("an answer").status, 200);
    let head = server.seen()[0].head.to_ascii_lowercase();
    assert!(format!("{head}\r\n").contains("\r\nhost: \r\n"), "{head}");
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_stays_a_body() {
    let head = format!(
        "POST /x HTTP/1.1\r\nhost: a\r\ncontent-length: {}",
        HIDDEN.len()
    );
    let (status, seen) = smuggle(&head, HIDDEN).await;
    assert_eq!(status, Some(200));
    let expected = ["POST /x HTTP/1.1", "GET /last HTTP/1.1"];
    assert_eq!(seen, expected[..seen.len()]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_concerns_one_connection_is_not_passed_on() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::before(&[&server], "").await;
    let request = "GET / HTTP/1.1\r\nhost: a\r\nconnection: x-secret, keep-alive\r\n\
                   x-secret: 1\r\nte: trailers\r\nproxy-connection: x\r\n\r\n";
    let answer = proxy.send(request.as_bytes()).await.expect("an answer");
    assert_eq!(answer.status, 200);
    let head = server.seen()[0].head.to_ascii_lowercase();
    for gone in ["x-secret", "keep-alive", "proxy-connection"] {
        assert!(!head.contains(gone), "{head}");
    }
    proxy.finish().await;
}

/// A client behind another proxy cannot hide itself by naming what that proxy says about it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_another_proxy_says_cannot_be_removed() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::limiting("forwarded = \"append\"", &[&server], "");
    let request = "GET / HTTP/1.1\r\nhost: a\r\nx-forwarded-for: 1.1.1.1\r\n\
                   x-forwarded-proto: https\r\n\
                   connection: X-Forwarded-For, x-forwarded-proto\r\n\r\n";
    let answer = proxy.send(request.as_bytes()).await.expect("an answer");
    assert_eq!(answer.status, 200);
    let head = server.seen()[0].head.to_ascii_lowercase();
    assert!(head.contains("\r\nx-forwarded-for: 1.1.1.1, "), "{head}");
    assert!(head.contains("\r\nx-forwarded-proto: https"), "{head}");
    proxy.finish().await;
}

/// A server may answer TRACE with what it got: cookies, passwords, and what the proxy has added. It
/// may also take `trace` for TRACE, as some frameworks do.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn methods_that_are_never_passed_on() {
    for (line, rest) in [
        ("CONNECT a:80", HIDDEN),
        ("connect a:80", HIDDEN),
        ("Connect /", HIDDEN),
        ("TRACE /", ""),
        ("trace /", ""),
        ("Trace /", ""),
    ] {
        let head = format!("{line} HTTP/1.1\r\nhost: a\r\ncookie: secret=1");
        let (status, seen) = smuggle(&head, rest).await;
        assert_eq!(status, Some(501), "{line}");
        assert_eq!(seen, [""; 0], "{line}");
    }
}

/// Methods differ by case (RFC 9110, section 9.1), and servers may have some of their own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_methods_stay_as_they_are() {
    for method in ["PURGE", "get", "Traces", "x-y.z"] {
        let head = format!("{method} / HTTP/1.1\r\nhost: a");
        let (status, seen) = smuggle(&head, "").await;
        assert_eq!(status, Some(200), "{method}");
        assert_eq!(seen[0], format!("{method} / HTTP/1.1"));
    }
}
