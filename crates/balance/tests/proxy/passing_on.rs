//! What is passed on unchanged, whatever both sides speak.

use std::convert::Infallible;
use std::net::SocketAddr;

use http::{HeaderMap, HeaderValue, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::harness::{Behaviour, Connection, Proxy, Server};

/// Fields that only the proxy, or the head of an answer, may have.
const RESERVED: [&str; 5] = [
    "filch-token",
    "x-forwarded-for",
    "x_forwarded_proto",
    "client-cert",
    "client_cert_chain",
];

/// An answer whose body ends with its connection.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_ends_with_its_connection() {
    let server = Server::start(Behaviour::Say(b"HTTP/1.0 200 OK\r\nx: y\r\n\r\nhello")).await;
    let proxy = Proxy::before(&[&server], "").await;
    let mut connection = Connection::open(proxy.address).await;
    for _ in 0..3 {
        connection.write(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").await;
        let answer = connection.answer().await.expect("an answer");
        assert_eq!((answer.status, answer.text()), (200, "hello"));
        assert_eq!(answer.header("x"), Some("y"));
        assert!(answer.head.starts_with("http/1.1 "), "{}", answer.head);
    }
    drop(connection);
    proxy.finish().await;
}

/// A client of HTTP/1.0 gets such an answer as it is. Its connection ends with it, even if the
/// client wants to keep it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_knows_no_chunks() {
    let server = Server::start(Behaviour::Say(b"HTTP/1.0 200 OK\r\n\r\nhello")).await;
    let proxy = Proxy::before(&[&server], "").await;
    let request = b"GET / HTTP/1.0\r\nhost: a\r\nconnection: keep-alive\r\n\r\n";
    let mut connection = Connection::open(proxy.address).await;
    connection.write(request).await;
    let answer = connection.answer().await.expect("an answer");
    assert_eq!(answer.header("content-length"), None);
    assert_eq!(answer.header("transfer-encoding"), None);
    assert_eq!(connection.bytes(5).await, b"hello");
    assert!(connection.is_closed().await);
    drop(connection);
    proxy.finish().await;
}

/// The length of what a GET would get, without a body.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_head_of_an_answer_alone() {
    let head = b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n";
    let server = Server::start(Behaviour::Say(head)).await;
    let proxy = Proxy::before(&[&server], "").await;
    let mut connection = Connection::open(proxy.address).await;
    for _ in 0..3 {
        connection
            .write(b"HEAD / HTTP/1.1\r\nhost: a\r\n\r\n")
            .await;
        let mut got = Vec::new();
        while !got.ends_with(b"\r\n\r\n") {
            got.extend(connection.bytes(1).await);
        }
        let got = String::from_utf8(got).unwrap();
        assert!(got.contains("content-length: 500\r\n"), "{got}");
    }
    drop(connection);
    proxy.finish().await;
}

/// A client that waits for a word before it sends its body gets one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_is_asked_for() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::before(&[&server], "").await;
    let mut connection = Connection::open(proxy.address).await;
    connection
        .write(b"POST / HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 4\r\n\r\n")
        .await;
    assert_eq!(connection.answer().await.expect("a word").status, 100);
    connection.write(b"body").await;
    assert_eq!(connection.answer().await.expect("an answer").status, 200);
    let seen = server.seen();
    assert_eq!((seen.len(), &seen[0].body[..]), (1, &b"body"[..]));
    drop(connection);
    proxy.finish().await;
}

/// The body of a request that usually has none, with and without a length.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_with_any_method() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::before(&[&server], "").await;
    for method in ["GET", "HEAD", "DELETE", "POST"] {
        for body in [
            "content-length: 4\r\n\r\nbody",
            "connection: content-length\r\ncontent-length: 4\r\n\r\nbody",
            "transfer-encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n",
        ] {
            let before = server.seen().len();
            let mut connection = Connection::open(proxy.address).await;
            let request = format!("{method} / HTTP/1.1\r\nhost: a\r\n{body}");
            connection.write(request.as_bytes()).await;
            assert_eq!(connection.bytes(12).await, b"HTTP/1.1 200", "{request}");
            let seen = server.seen();
            assert_eq!(seen.len(), before + 1, "{request}");
            assert_eq!(seen[before].body, b"body", "{request}");
        }
    }
    proxy.finish().await;
}

/// The same over HTTP/2, where a body needs no length.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_without_a_length_over_http2() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::start(&format!(
        "access_log = \"access.log\"\n\
         [admin]\naddress = \"127.0.0.1:0\"\n\
         [[listeners]]\naddress = \"127.0.0.1:0\"\nhttp2 = true\n\
         [[groups]]\nname = \"all\"\n[[groups.servers]]\naddress = \"{}\"\n",
        server.address
    ));
    let stream = TcpStream::connect(proxy.address).await.unwrap();
    let handshake =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream));
    let (mut client, connection) = handshake.await.unwrap();
    let connection = tokio::spawn(connection);
    // A body that is mapped does not know its length.
    let body = Full::new(Bytes::from_static(b"body")).map_frame(|frame| frame);
    let request = Request::get("http://example.org/x").body(body).unwrap();
    let answer = client.send_request(request).await.unwrap();
    assert_eq!(
        answer.into_body().collect().await.unwrap().to_bytes(),
        "hello"
    );
    assert_eq!(server.seen()[0].body, b"body");
    drop(client);
    connection.await.unwrap().unwrap();
    proxy.finish().await;
}

/// A question about the server as a whole.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn options_of_everything() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::before(&[&server], "").await;
    let request = b"OPTIONS * HTTP/1.1\r\nhost: a\r\n\r\n";
    assert_eq!(proxy.send(request).await.expect("an answer").status, 200);
    let head = &server.seen()[0].head;
    assert!(head.starts_with("OPTIONS * HTTP/1.1\r\n"), "{head}");
    proxy.finish().await;
}

/// A server with HTTP/2 that sends back the body and the trailers of a request, as gRPC does. It
/// checks that no client can send a trailer which is the proxy's, and sends such trailers itself.
async fn echo(tasks: &mut JoinSet<()>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tasks.spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let service = service_fn(|request: Request<Incoming>| async {
                assert_eq!(request.headers()["te"], "trailers");
                assert_eq!(request.uri().authority().unwrap(), "example.org");
                let body = request.into_body().collect().await.unwrap();
                let mut trailers = body.trailers().cloned();
                for name in RESERVED {
                    let trailers = trailers.as_mut().unwrap();
                    assert!(!trailers.contains_key(name), "{name}");
                    trailers.insert(name, HeaderValue::from_static("forged"));
                }
                let body = Full::new(body.to_bytes());
                let body = body.with_trailers(async { trailers.map(Ok) });
                Ok::<_, Infallible>(Response::new(body))
            });
            let server = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
            tokio::spawn(server.serve_connection(TokioIo::new(stream), service));
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trailers() {
    let mut tasks = JoinSet::new();
    let server = echo(&mut tasks).await;
    let proxy = Proxy::start(&format!(
        "access_log = \"access.log\"\n\
         [admin]\naddress = \"127.0.0.1:0\"\n\
         [[listeners]]\naddress = \"127.0.0.1:0\"\nhttp2 = true\n\
         [[groups]]\nname = \"all\"\nprotocol = \"http2\"\n\
         [[groups.servers]]\naddress = \"{server}\"\n"
    ));
    let stream = TcpStream::connect(proxy.address).await.unwrap();
    let handshake =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream));
    let (mut client, connection) = handshake.await.unwrap();
    let connection = tokio::spawn(connection);
    for size in [0, 5, 200_000] {
        let sent = Bytes::from(vec![b'x'; size]);
        let mut trailers = HeaderMap::new();
        trailers.insert("grpc-status", HeaderValue::from_static("0"));
        let mut with = trailers.clone();
        for name in RESERVED {
            with.insert(name, HeaderValue::from_static("forged"));
        }
        let body = Full::new(sent.clone()).with_trailers(std::future::ready(Some(Ok(with))));
        let request = Request::post("http://example.org/x").header("te", "trailers");
        let answer = client.send_request(request.body(body).unwrap()).await;
        let body = answer.unwrap().into_body().collect().await.unwrap();
        assert_eq!(body.trailers(), Some(&trailers), "{size}");
        assert!(body.to_bytes() == sent, "{size}");
    }
    drop(client);
    connection.await.unwrap().unwrap();
    proxy.finish().await;
}
