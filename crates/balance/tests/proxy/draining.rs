//! The end of a proxy: no request is lost that a client could send in good faith.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::harness::{Behaviour, Connection, Proxy, Server, configuration, until};
use crate::http2;

const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n";

/// A proxy that waits this long for idle connections, and for requests.
fn proxy(linger: &str, grace: &str, server: &Server) -> Proxy {
    let text = configuration(&[server], "").replace(
        "grace = \"20s\"",
        &format!("grace = \"{grace}\"\nlinger = \"{linger}\""),
    );
    Proxy::start(&text)
}

/// Stops the proxy. Returns when it accepts no connection any more.
async fn stop(proxy: Proxy) -> tokio::task::JoinHandle<usize> {
    let address = proxy.address;
    let stopping = tokio::spawn(proxy.running.stop());
    until("no connection is accepted", async || {
        TcpStream::connect(address).await.is_err()
    })
    .await;
    stopping
}

/// Waits until so many connections are open.
async fn open(proxy: &Proxy, connections: u64) {
    until("the connection is accepted", async || {
        proxy.state().await["connections"] == connections
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_answer_says_so() {
    let server = Server::start(Behaviour::after(300)).await;
    let proxy = proxy("60s", "60s", &server);
    let mut connection = Connection::open(proxy.address).await;
    connection.write(GET).await;
    until("it is being served", async || !server.seen().is_empty()).await;
    let stopping = stop(proxy).await;
    let answer = connection.answer().await.expect("an answer");
    assert_eq!((answer.status, answer.text()), (200, "hello"));
    assert_eq!(answer.header("connection"), Some("close"));
    assert!(connection.is_closed().await);
    assert_eq!(stopping.await.unwrap(), 0);
}

/// A request of which a part has come is waited for.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn half_a_request_is_answered() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = proxy("60s", "60s", &server);
    let mut connection = Connection::open(proxy.address).await;
    connection.write(b"GET / HTTP/1.1\r\nho").await;
    open(&proxy, 1).await;
    let stopping = stop(proxy).await;
    connection.write(b"st: a\r\n\r\n").await;
    let answer = connection.answer().await.expect("an answer");
    assert_eq!(
        (answer.status, answer.header("connection")),
        (200, Some("close"))
    );
    assert!(connection.is_closed().await);
    assert_eq!(stopping.await.unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn half_a_request_is_refused_in_the_end() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = proxy("60s", "4s", &server);
    let mut connection = Connection::open(proxy.address).await;
    connection.write(b"GET / HTTP/1.1\r\nho").await;
    open(&proxy, 1).await;
    let stopping = stop(proxy).await;
    assert_eq!(connection.answer().await.expect("an answer").status, 503);
    assert_eq!(stopping.await.unwrap(), 0);
}

/// A request that waits for a server is told that there will be none.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_in_the_queue_is_refused_in_the_end() {
    let server = Server::start(Behaviour::Hang).await;
    let group = "queue = { wait = \"60s\" }\nserver.limit = 1";
    let text = configuration(&[&server], group);
    let proxy = Proxy::start(&text.replace("grace = \"20s\"", "grace = \"4s\""));
    let mut served = Connection::open(proxy.address).await;
    served.write(GET).await;
    until("it is being served", async || !server.seen().is_empty()).await;
    let mut waits = Connection::open(proxy.address).await;
    waits.write(GET).await;
    until("it waits", async || {
        proxy.state().await["groups"][0]["waiting"] == 1
    })
    .await;
    let stopping = stop(proxy).await;
    assert_eq!(waits.answer().await.expect("an answer").status, 503);
    assert_eq!(stopping.await.unwrap(), 1);
}

/// A client may send its next request before it knows that the proxy stops.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idle_connection_may_send_one_more_request() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = proxy("60s", "60s", &server);
    let mut connection = Connection::open(proxy.address).await;
    connection.write(GET).await;
    let answer = connection.answer().await.expect("an answer");
    assert_ne!(answer.header("connection"), Some("close"));
    let stopping = stop(proxy).await;
    connection.write(GET).await;
    let answer = connection.answer().await.expect("an answer");
    assert_eq!(
        (answer.status, answer.header("connection")),
        (200, Some("close"))
    );
    assert!(connection.is_closed().await);
    assert_eq!(stopping.await.unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_stay_idle_are_closed() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = proxy("100ms", "60s", &server);
    let mut connection = Connection::open(proxy.address).await;
    open(&proxy, 1).await;
    let stopping = stop(proxy).await;
    assert!(connection.is_closed().await);
    assert_eq!(stopping.await.unwrap(), 0);
}

/// Reads a request without a body.
async fn read_head(from: &mut TcpStream) {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        assert!(from.read_buf(&mut request).await.unwrap() > 0);
    }
}

/// An answer that began before the stop has not said that it is the last one. If it ends when other
/// idle connections have been closed, its client still has the time to send a request.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_becomes_idle_late_may_send_one_more_request() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let text = http2::configuration("", "", listener.local_addr().unwrap());
    let proxy = Proxy::start(&format!("grace = \"60s\"\nlinger = \"3s\"\n{text}"));
    let mut idle = Connection::open(proxy.address).await;
    open(&proxy, 1).await;
    let mut connection = Connection::open(proxy.address).await;
    connection.write(GET).await;
    let (mut server, _) = listener.accept().await.unwrap();
    // An answer before its request is none, and the proxy would try again.
    read_head(&mut server).await;
    let begun = b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello";
    server.write_all(begun).await.unwrap();
    // The client has the head, and so it cannot be told any more.
    let seen = connection.bytes(1).await;
    assert_eq!(seen, b"H");
    let stopping = stop(proxy).await;
    assert!(idle.is_closed().await);
    server.write_all(b"world").await.unwrap();
    let rest = connection.bytes(begun.len() + 4).await;
    assert!(rest.ends_with(b"helloworld"));
    tokio::time::sleep(Duration::from_millis(100)).await;
    connection.write(GET).await;
    let serve = async {
        read_head(&mut server).await;
        let last = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
        server.write_all(last).await.unwrap();
    };
    let (answer, ()) = tokio::join!(connection.answer(), serve);
    let answer = answer.expect("an answer");
    assert_eq!((answer.status, answer.text()), (200, "ok"));
    assert_eq!(answer.header("connection"), Some("close"));
    assert_eq!(stopping.await.unwrap(), 0);
}

/// A request that is cut off is in the access log like any other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_that_are_cut_off_are_logged() {
    const REQUESTS: usize = 200;
    let server = Server::start(Behaviour::Hang).await;
    let proxy = proxy("100ms", "500ms", &server);
    let mut connections = Vec::new();
    for _ in 0..REQUESTS {
        let mut connection = Connection::open(proxy.address).await;
        connection.write(GET).await;
        connections.push(connection);
    }
    until("all are in flight", async || {
        proxy.running.in_flight() == REQUESTS
    })
    .await;
    let Proxy {
        running, folder, ..
    } = proxy;
    assert_eq!(running.stop().await, REQUESTS);
    let log = std::fs::read_to_string(folder.path().join("access.log")).unwrap();
    assert_eq!(log.lines().count(), REQUESTS);
}
