//! Clients: kept connections, those that leave, and ten thousand that do nothing.

use std::time::Duration;

use tokio::io::AsyncWriteExt;
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

/// As many idle connections as the issue asks for, or as the limit on open files allows.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_idle_connections() {
    // Both ends are in this process.
    let limit = filch_balance::proxy::raise_file_limit().unwrap_or(1024);
    let most = usize::try_from(limit.saturating_sub(500) / 2).unwrap();
    let wanted = 10_000.min(most);
    if wanted < 10_000 {
        eprintln!("only {wanted} connections: the limit on open files does not allow more");
    }
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::before(&[&server], "").await;
    let mut idle = Vec::new();
    for number in 0..wanted {
        let mut stream = TcpStream::connect(proxy.address).await.unwrap();
        // Some have said something, but not all.
        if number % 2 == 0 {
            stream.write_all(b"GET / HTTP/1.1\r\nho").await.unwrap();
        }
        idle.push(stream);
        if number % 1000 == 0 {
            assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
        }
    }
    for _ in 0..20 {
        assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
    }
    // One that was idle for long is served like any other.
    let mut late = idle.swap_remove(0);
    late.write_all(b"st: a\r\nconnection: close\r\n\r\n")
        .await
        .unwrap();
    let mut text = String::new();
    tokio::io::AsyncReadExt::read_to_string(&mut late, &mut text)
        .await
        .unwrap();
    assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    drop(idle);
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
    tokio::time::sleep(Duration::ZERO).await;
}
