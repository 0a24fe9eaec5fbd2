//! Limits on clients: time, connections and sizes.

use crate::harness::{Behaviour, Connection, Proxy, Server, until};

const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n";

/// However much of it comes in time, a header that does not end is given up.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_header_that_takes_too_long_is_408() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::limiting("header = \"300ms\"", &[&server], "");
    let mut connection = Connection::open(proxy.address).await;
    connection.write(b"GET / HTTP/1.1\r\nhost: a\r\nx: ").await;
    let answer = connection.trickle().await.expect("an answer");
    assert_eq!(
        (answer.status, answer.header("connection")),
        (408, Some("close"))
    );
    until("it is logged", async || !proxy.log().is_empty()).await;
    assert_eq!(proxy.log()[0]["status"], 408);
    assert_eq!(server.seen().len(), 0);
    proxy.finish().await;
}

/// Whether it may become HTTP/2 or not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn half_a_preface_is_408() {
    let server = Server::start(Behaviour::GOOD).await;
    let text = format!(
        "[client]\nheader = \"300ms\"\n\
         [[listeners]]\naddress = \"127.0.0.1:0\"\nhttp2 = true\n\
         [admin]\naddress = \"127.0.0.1:0\"\n\
         [[groups]]\nname = \"all\"\n[[groups.servers]]\naddress = \"{}\"\n",
        server.address
    );
    let proxy = Proxy::start(&format!("access_log = \"access.log\"\n{text}"));
    let mut connection = Connection::open(proxy.address).await;
    connection.write(b"PRI * HTTP/2.0\r\n").await;
    assert_eq!(connection.answer().await.expect("an answer").status, 408);
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_connections_are_closed() {
    let server = Server::start(Behaviour::GOOD).await;
    let limits = "header = \"200ms\"\nidle = \"200ms\"";
    let proxy = Proxy::limiting(limits, &[&server], "");
    let mut silent = Connection::open(proxy.address).await;
    let mut idle = Connection::open(proxy.address).await;
    idle.write(GET).await;
    assert_eq!(idle.answer().await.expect("an answer").status, 200);
    assert!(silent.is_closed().await);
    assert!(idle.is_closed().await);
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_beyond_the_limit_are_503() {
    let server = Server::start(Behaviour::GOOD).await;
    for limits in ["connections = 2", "connections_each = 2"] {
        let proxy = Proxy::limiting(limits, &[&server], "");
        let mut open = Vec::new();
        for _ in 0..2 {
            let mut connection = Connection::open(proxy.address).await;
            connection.write(GET).await;
            assert_eq!(connection.answer().await.expect("an answer").status, 200);
            open.push(connection);
        }
        let mut third = Connection::open(proxy.address).await;
        let refused = third.answer().await.expect("an answer");
        assert_eq!(
            (refused.status, refused.header("connection")),
            (503, Some("close"))
        );
        // The two go on, and make room when they leave.
        open[0].write(GET).await;
        assert_eq!(open[0].answer().await.expect("an answer").status, 200);
        open.pop();
        until("there is room", async || {
            proxy
                .get("/")
                .await
                .is_some_and(|answer| answer.status == 200)
        })
        .await;
        drop(open);
        proxy.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_beyond_the_limit_is_413() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::limiting("body_bytes = 10", &[&server], "");
    let post = "POST / HTTP/1.1\r\nhost: a\r\n";
    for (request, status) in [
        (format!("{post}content-length: 10\r\n\r\n0123456789"), 200),
        (format!("{post}content-length: 11\r\n\r\n0123456789a"), 413),
        (
            format!("{post}transfer-encoding: chunked\r\n\r\na\r\n0123456789\r\n0\r\n\r\n"),
            200,
        ),
        (
            format!("{post}transfer-encoding: chunked\r\n\r\nb\r\n0123456789a\r\n0\r\n\r\n"),
            413,
        ),
    ] {
        let answer = proxy.send(request.as_bytes()).await.expect("an answer");
        assert_eq!(answer.status, status, "{request}");
    }
    // What is too large is not read any further, and the answer arrives all the same.
    let large = format!(
        "{post}content-length: 1000000\r\n\r\n{}",
        "x".repeat(1_000_000)
    );
    let answer = proxy.send(large.as_bytes()).await.expect("an answer");
    assert_eq!(answer.status, 413);
    proxy.finish().await;
}

/// Requests that come together are answered one after the other, whatever their bodies are.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_with_bodies_may_be_sent_before_the_answer() {
    let server = Server::start(Behaviour::after(5)).await;
    let proxy = Proxy::before(&[&server], "").await;
    let mut connection = Connection::open(proxy.address).await;
    let all = b"PUT /0 HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\nabc\
                PUT /1 HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n\
                3;x\r\nabc\r\n0\r\nt: u\r\n\r\n\
                \r\nGET /2 HTTP/1.1\r\nhost: a\r\n\r\n\
                PUT /3 HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n\
                GET /4 HTTP/1.1\r\nhost: a\r\n\r\n";
    for step in [all.len(), 7] {
        for part in all.chunks(step) {
            connection.write(part).await;
        }
        for _ in 0..5 {
            assert_eq!(connection.answer().await.expect("an answer").status, 200);
        }
    }
    let seen = server.seen();
    assert_eq!(seen.len(), 10);
    for (number, seen) in seen.iter().enumerate() {
        let (path, body) = (number % 5, seen.body.as_slice());
        assert!(seen.head.contains(&format!(" /{path} ")), "{seen:?}");
        assert_eq!(body, if path < 2 { &b"abc"[..] } else { b"" });
    }
    drop(connection);
    proxy.finish().await;
}

/// A part of an answer is passed on when it comes, also if the answer has a length.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parts_of_an_answer_are_not_held_back() {
    let first = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello";
    let server = Server::start(Behaviour::Echo(first)).await;
    let proxy = Proxy::before(&[&server], "").await;
    let mut connection = Connection::open(proxy.address).await;
    connection.write(GET).await;
    let mut got = Vec::new();
    while !got.ends_with(b"hello") {
        got.extend(connection.bytes(1).await);
    }
    drop(connection);
    proxy.finish().await;
}
