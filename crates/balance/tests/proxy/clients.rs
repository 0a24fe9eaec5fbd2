//! Clients: kept connections, clients that leave, and the end of the proxy.

use std::time::Duration;

use tokio::net::TcpStream;

use crate::harness::{Behaviour, Connection, Proxy, Server, until};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_are_kept_on_both_sides() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::before(&[&server], "").await;
    let mut connection = Connection::open(proxy.address).await;
    for _ in 0..10 {
        connection
            .write(b"GET /a?b HTTP/1.1\r\nhost: Example.org:80\r\nx-forwarded-for: 1.2.3.4\r\n\r\n")
            .await;
        let answer = connection.answer().await.expect("an answer");
        assert_eq!((answer.status, answer.text()), (200, "hello"));
    }
    let seen = server.seen();
    assert_eq!(seen.len(), 10);
    let head = seen[0].head.to_ascii_lowercase();
    assert!(head.starts_with("get /a?b http/1.1\r\n"), "{head}");
    assert!(head.contains("\r\nhost: example.org:80"), "{head}");
    assert!(head.contains("\r\nx-forwarded-for: 127.0.0.1"), "{head}");
    assert!(head.contains("\r\nx-forwarded-proto: http"), "{head}");
    assert!(!head.contains("1.2.3.4"), "{head}");
    drop(connection);
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_may_be_sent_before_the_answer() {
    let server = Server::start(Behaviour::after(5)).await;
    let proxy = Proxy::before(&[&server], "server.limit = 1").await;
    let mut connection = Connection::open(proxy.address).await;
    let all: String = (0..5)
        .map(|number| format!("GET /{number} HTTP/1.1\r\nhost: a\r\n\r\n"))
        .collect();
    connection.write(all.as_bytes()).await;
    for number in 0..5 {
        let answer = connection.answer().await.expect("an answer");
        assert_eq!(answer.status, 200, "{number}");
    }
    let seen = server.seen();
    for (number, seen) in seen.iter().enumerate() {
        assert!(
            seen.head.starts_with(&format!("GET /{number} ")),
            "{seen:?}"
        );
    }
    drop(connection);
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn web_sockets_are_passed_through() {
    let switch = b"HTTP/1.1 101 Switching Protocols\r\n\
                   upgrade: websocket\r\nconnection: upgrade\r\n\r\nhello";
    let server = Server::start(Behaviour::Echo(switch)).await;
    let proxy = Proxy::before(&[&server], "").await;
    let mut connection = Connection::open(proxy.address).await;
    connection
        .write(
            b"GET / HTTP/1.1\r\nhost: a\r\nupgrade: websocket\r\nconnection: upgrade\r\n\
              sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        )
        .await;
    let answer = connection.answer().await.expect("an answer");
    assert_eq!(answer.status, 101);
    assert_eq!(connection.bytes(5).await, b"hello");
    for word in [&b"one"[..], b"another"] {
        connection.write(word).await;
        assert_eq!(connection.bytes(word.len()).await, word);
    }
    assert_eq!(proxy.server(&server).await["outstanding"], 1);
    drop(connection);
    proxy.finish().await;
}

/// A server that restarts closes the connection that the proxy had kept, and not even a POST fails.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kept_connection_that_has_ended_is_not_used() {
    let server = Server::start(Behaviour::GOOD).await;
    let address = server.address;
    let proxy = Proxy::before(&[&server], "retries = 0").await;
    let post = b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\nbody";
    assert_eq!(proxy.send(post).await.expect("an answer").status, 200);
    drop(server);
    let server = Server::start_at(address, Behaviour::GOOD).await;
    // Long enough for the proxy to notice the end of the old connection.
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(proxy.send(post).await.expect("an answer").status, 200);
    assert_eq!(server.seen().len(), 1);
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_leaves_gives_its_server_back() {
    let server = Server::start(Behaviour::Hang).await;
    let proxy = Proxy::before(&[&server], "").await;
    for (request, what) in [
        (
            "GET / HTTP/1.1\r\nhost: a\r\n\r\n",
            "while it waits for the answer",
        ),
        (
            "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nhalf",
            "in the middle of its body",
        ),
    ] {
        let mut connection = Connection::open(proxy.address).await;
        connection.write(request.as_bytes()).await;
        until("the server is held", async || {
            proxy.server(&server).await["outstanding"] == 1
        })
        .await;
        drop(connection);
        proxy.settled().await;
        let known = proxy.server(&server).await;
        assert_eq!(
            (&known["failed"], &known["served"]),
            (&0.into(), &0.into()),
            "{what}"
        );
        assert_eq!(known["up"], true, "{what}");
        // The server may still be working, so its token is not held.
        assert_eq!(known["token"], false, "{what}");
    }
    until("it is logged", async || proxy.log().len() == 2).await;
    assert!(
        proxy
            .log()
            .iter()
            .all(|line| line["problem"] == "client_left")
    );
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopping_lets_requests_finish() {
    let server = Server::start(Behaviour::after(300)).await;
    let proxy = Proxy::before(&[&server], "").await;
    let to = proxy.address;
    let mut idle = Connection::open(to).await;
    let client = tokio::spawn(async move { crate::harness::get(to, "/").await });
    until("it is being served", async || !server.seen().is_empty()).await;
    assert_eq!(proxy.running.stop().await, 0);
    assert_eq!(client.await.unwrap().expect("an answer").status, 200);
    assert!(idle.is_closed().await);
    assert!(TcpStream::connect(to).await.is_err());
}
