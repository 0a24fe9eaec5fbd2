//! HTTP/2 and TLS, to clients and to servers.

use std::net::SocketAddr;
use std::sync::Arc;

use http::{Request, Version};
use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::HandshakeKind;
use tokio_rustls::rustls::version::{TLS12, TLS13};

use crate::harness::{
    Behaviour, Files, Proxy, Server, ask_over_tls, certificate, client, client_of, der, encrypted,
    tls, until,
};

/// A configuration with this listener, and this group of one server.
pub(crate) fn configuration(listener: &str, group: &str, server: SocketAddr) -> String {
    format!(
        "access_log = \"access.log\"\n\
         [admin]\naddress = \"127.0.0.1:0\"\n\
         [[listeners]]\naddress = \"127.0.0.1:0\"\n{listener}\n\
         [[groups]]\nname = \"all\"\n{group}\n\
         [[groups.servers]]\naddress = \"{server}\"\n"
    )
}

/// Sends this many requests at once over one HTTP/2 connection.
async fn ask<S>(stream: S, scheme: &str, requests: usize)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (client, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
            .await
            .unwrap();
    let connection = tokio::spawn(connection);
    let mut answers = tokio::task::JoinSet::new();
    for _ in 0..requests {
        let mut client = client.clone();
        let request = Request::get(format!("{scheme}://example.org/x"))
            .header("filch-token", "idle")
            .body(Empty::<Bytes>::new())
            .unwrap();
        answers.spawn(async move {
            let answer = client.send_request(request).await.unwrap();
            assert_eq!(answer.status(), 200);
            assert_eq!(answer.version(), Version::HTTP_2);
            assert!(!answer.headers().contains_key("filch-token"));
            let body = answer.into_body().collect().await.unwrap().to_bytes();
            assert_eq!(body, "hello");
        });
    }
    while let Some(answer) = answers.join_next().await {
        answer.unwrap();
    }
    drop(client);
    connection.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_tls_by_prior_knowledge() {
    let server = Server::start(Behaviour::after(5)).await;
    let proxy = Proxy::start(&configuration("http2 = true", "", server.address));
    let stream = TcpStream::connect(proxy.address).await.unwrap();
    ask(stream, "http", 50).await;
    // HTTP/1.1 works there as well.
    assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
    let seen = server.seen();
    assert_eq!(seen.len(), 51);
    let head = seen[0].head.to_ascii_lowercase();
    assert!(head.contains("host: example.org"), "{head}");
    assert!(!head.contains("filch-token"), "{head}");
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_tls_by_agreement() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::start(&configuration(&tls(), "", server.address));
    let stream = encrypted(proxy.address, &["h2", "http/1.1"]).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    ask(stream, "https", 20).await;
    let stream = encrypted(proxy.address, &["http/1.1"]).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
    let (mut client, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .unwrap();
    let connection = tokio::spawn(connection);
    let request = Request::get("/")
        .header("host", "a")
        .body(Empty::<Bytes>::new());
    let answer = client.send_request(request.unwrap()).await.unwrap();
    assert_eq!(answer.status(), 200);
    drop((client, answer));
    let _ = connection.await;
    let seen = server.seen();
    assert!(
        seen[0]
            .head
            .to_ascii_lowercase()
            .contains("x-forwarded-proto: https")
    );
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn certificates_are_read_again() {
    let server = Server::start(Behaviour::GOOD).await;
    let folder = tempfile::tempdir().unwrap();
    let files = Files::of(&folder);
    files.put("server");
    let proxy = Proxy::start(&configuration(&files.tls(), "", server.address));
    let shown = async || {
        let stream = encrypted(proxy.address, &[]).await.unwrap();
        stream.get_ref().1.peer_certificates().unwrap()[0].to_vec()
    };
    let first = shown().await;
    files.put("renewed");
    assert_eq!(shown().await, first, "there was no reload yet");
    proxy.running.reload().unwrap();
    let second = shown().await;
    assert_ne!(second, first);
    // A key that does not fit changes nothing.
    std::fs::copy(certificate("server.key"), files.path("key")).unwrap();
    let error = proxy.running.reload().unwrap_err().to_string();
    assert!(error.contains("listeners.tls.key"), "{error}");
    assert_eq!(shown().await, second);
    proxy.finish().await;
}

/// A client that resumes a session is shown no certificate. So sessions end with the certificate,
/// and not with a reload that leaves it as it is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_end_with_the_certificate() {
    let server = Server::start(Behaviour::GOOD).await;
    let folder = tempfile::tempdir().unwrap();
    let files = Files::of(&folder);
    files.put("server");
    let proxy = Proxy::start(&configuration(&files.tls(), "", server.address));
    for version in [&TLS12, &TLS13] {
        files.put("server");
        proxy.running.reload().unwrap();
        let connector = TlsConnector::from(Arc::new(client_of(&[version], &["http/1.1"])));
        let ask = async || {
            let stream = TcpStream::connect(proxy.address).await.unwrap();
            ask_over_tls(&connector, stream).await
        };
        let (begun, first) = ask().await;
        assert_eq!(begun, HandshakeKind::Full);
        assert_eq!(ask().await, (HandshakeKind::Resumed, first.clone()));
        proxy.running.reload().unwrap();
        assert_eq!(ask().await, (HandshakeKind::Resumed, first.clone()));
        files.put("renewed");
        proxy.running.reload().unwrap();
        let (begun, second) = ask().await;
        assert_eq!(begun, HandshakeKind::Full);
        assert_ne!(second, first);
        assert_eq!(ask().await, (HandshakeKind::Resumed, second));
    }
    proxy.finish().await;
}

/// A handshake that is under way when the certificate is replaced ends under the one that it began
/// with, like a connection that is open. Its session must not outlive that certificate either.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handshake_over_a_reload_leaves_no_session() {
    let server = Server::start(Behaviour::GOOD).await;
    let folder = tempfile::tempdir().unwrap();
    let files = Files::of(&folder);
    files.put("server");
    let proxy = Proxy::start(&configuration(&files.tls(), "", server.address));
    for (version, kind) in [
        (&TLS12, HandshakeKind::Full),
        (&TLS12, HandshakeKind::Resumed),
        (&TLS13, HandshakeKind::Full),
        (&TLS13, HandshakeKind::Resumed),
    ] {
        files.put("server");
        proxy.running.reload().unwrap();
        let connector = TlsConnector::from(Arc::new(client_of(&[version], &["http/1.1"])));
        let ask = async || {
            let stream = TcpStream::connect(proxy.address).await.unwrap();
            ask_over_tls(&connector, stream).await
        };
        if kind == HandshakeKind::Resumed {
            ask().await;
        }
        let (client, mut relay) = tokio::io::duplex(1 << 16);
        let mut stream = TcpStream::connect(proxy.address).await.unwrap();
        let under_way = ask_over_tls(&connector, client);
        let over_reload = async {
            // The client says all that it can, until the proxy answers with its certificate.
            let (from_proxy, mut to_proxy) = stream.split();
            tokio::select! {
                _ = tokio::io::copy(&mut relay, &mut to_proxy) => panic!("the client has left"),
                answered = from_proxy.readable() => answered.unwrap(),
            }
            files.put("renewed");
            proxy.running.reload().unwrap();
            // The client may leave first, or the proxy.
            let _ = tokio::io::copy_bidirectional(&mut relay, &mut stream).await;
        };
        let ((begun, first), ()) = tokio::join!(under_way, over_reload);
        assert_eq!(begun, kind);
        let (begun, second) = ask().await;
        assert_eq!(begun, HandshakeKind::Full, "{version:?} after {kind:?}");
        assert_ne!(second, first);
        assert_eq!(ask().await, (HandshakeKind::Resumed, second));
    }
    proxy.finish().await;
}

/// A connection that is open, but has not said hello, is new: it gets the new certificate.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_connection_gets_the_new_certificate() {
    let server = Server::start(Behaviour::GOOD).await;
    let folder = tempfile::tempdir().unwrap();
    let files = Files::of(&folder);
    files.put("server");
    let proxy = Proxy::start(&configuration(&files.tls(), "", server.address));
    let connector = TlsConnector::from(Arc::new(client(&["http/1.1"])));
    let stream = TcpStream::connect(proxy.address).await.unwrap();
    until("it is accepted", async || {
        proxy.metric("filch_connections").await == 1.0
    })
    .await;
    files.put("renewed");
    proxy.running.reload().unwrap();
    let (_, shown) = ask_over_tls(&connector, stream).await;
    assert_eq!(shown, der("renewed"));
    proxy.finish().await;
}

/// Files that clients could not use are refused, and the certificate in use stays.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bad_certificates_are_not_taken() {
    let server = Server::start(Behaviour::GOOD).await;
    let folder = tempfile::tempdir().unwrap();
    let files = Files::of(&folder);
    files.put("server");
    let proxy = Proxy::start(&configuration(&files.tls(), "", server.address));
    // The second of the chain is text in the form of a certificate.
    let pem = std::fs::read_to_string(certificate("server.pem")).unwrap();
    let text = "-----BEGIN CERTIFICATE-----\naGVsbG8K\n-----END CERTIFICATE-----\n";
    std::fs::write(files.path("pem"), format!("{pem}{text}")).unwrap();
    let error = proxy.running.reload().unwrap_err().to_string();
    assert!(error.contains("number 2 of the certificates"), "{error}");
    files.put("expired");
    let error = proxy.running.reload().unwrap_err().to_string();
    assert!(error.contains("has expired"), "{error}");
    encrypted(proxy.address, &[]).await.unwrap();
    files.put("renewed");
    proxy.running.reload().unwrap();
    encrypted(proxy.address, &[]).await.unwrap();
    proxy.finish().await;
}

/// A certificate that has expired in use is no reason to refuse other changes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_expired_certificate_may_stay() {
    let server = Server::start(Behaviour::GOOD).await;
    let folder = tempfile::tempdir().unwrap();
    let files = Files::of(&folder);
    files.put("expired");
    let proxy = Proxy::start(&configuration(&files.tls(), "", server.address));
    proxy.running.reload().unwrap();
    files.put("server");
    proxy.running.reload().unwrap();
    encrypted(proxy.address, &[]).await.unwrap();
    proxy.finish().await;
}

/// If the authorities change, connections to servers that the old ones vouched for are not used,
/// also if the file has the same name.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kept_connections_end_with_the_authorities() {
    let server = Server::start(Behaviour::GOOD).await;
    let inner = Proxy::start(&configuration(&tls(), "", server.address));
    let folder = tempfile::tempdir().unwrap();
    let ca = folder.path().join("ca.pem");
    std::fs::copy(certificate("authority.pem"), &ca).unwrap();
    let group = format!("retries = 0\ntls = {{ name = \"localhost\", ca = {ca:?} }}");
    let outer = Proxy::start(&configuration("", &group, inner.address));
    assert_eq!(outer.get("/").await.expect("an answer").status, 200);
    // An authority that has signed nothing but itself.
    std::fs::copy(certificate("expired.pem"), &ca).unwrap();
    outer.running.reload().unwrap();
    for _ in 0..4 {
        assert_eq!(outer.get("/").await.expect("an answer").status, 502);
    }
    outer.finish().await;
    inner.finish().await;
}

/// A proxy in front of a proxy, which speaks the protocols that our test server does not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn to_servers() {
    let server = Server::start(Behaviour::after(2)).await;
    let authority = certificate("authority.pem");
    for (listener, group) in [
        ("http2 = true".to_owned(), "protocol = \"http2\"".to_owned()),
        (
            tls(),
            format!("protocol = \"http2\"\ntls = {{ name = \"localhost\", ca = {authority:?} }}"),
        ),
        (
            tls(),
            format!("tls = {{ name = \"localhost\", ca = {authority:?} }}"),
        ),
    ] {
        let inner = Proxy::start(&configuration(&listener, "", server.address));
        let group = format!(
            "{group}\nhealth = {{ path = \"/well\", interval = \"10ms\", timeout = \"60s\" }}"
        );
        let outer = Proxy::start(&configuration("http2 = true", &group, inner.address));
        let stream = TcpStream::connect(outer.address).await.unwrap();
        ask(stream, "http", 30).await;
        until("it is checked", async || {
            let state = outer.state().await;
            let server = &state["groups"][0]["servers"][0];
            assert_eq!(server["checks_failed"], 0);
            server["checks_passed"].as_u64() > Some(2)
        })
        .await;
        outer.finish().await;
        inner.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_certificate_for_another_name_is_refused() {
    let server = Server::start(Behaviour::GOOD).await;
    let inner = Proxy::start(&configuration(&tls(), "", server.address));
    let authority = certificate("authority.pem");
    for (group, status) in [
        (
            format!("tls = {{ name = \"example.org\", ca = {authority:?} }}"),
            502,
        ),
        ("tls = { name = \"localhost\" }".to_owned(), 502),
        (
            "tls = { name = \"example.org\", verify = false }".to_owned(),
            200,
        ),
    ] {
        let outer = Proxy::start(&configuration("", &group, inner.address));
        let answer = outer.get("/").await.expect("an answer");
        assert_eq!(answer.status, status, "{group}");
        outer.finish().await;
    }
    inner.finish().await;
}

/// Where the client's host is a part of the address, it is replaced there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_host_is_replaced() {
    let server = Server::start(Behaviour::GOOD).await;
    let group = "host = \"inside.example\"";
    let proxy = Proxy::start(&configuration("http2 = true", group, server.address));
    let stream = TcpStream::connect(proxy.address).await.unwrap();
    ask(stream, "http", 1).await;
    let head = server.seen()[0].head.to_ascii_lowercase();
    assert!(head.contains("\r\nhost: inside.example"), "{head}");
    let told = "\r\nx-forwarded-host: example.org";
    assert!(head.contains(told), "{head}");
    proxy.finish().await;
}

/// HTTP/2 lets a client split its cookies, HTTP/1 does not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cookies_are_joined_for_http1() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::start(&configuration("http2 = true", "", server.address));
    let stream = TcpStream::connect(proxy.address).await.unwrap();
    let (mut client, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
            .await
            .unwrap();
    let connection = tokio::spawn(connection);
    let request = Request::get("http://example.org/")
        .header("cookie", "a=1")
        .header("cookie", "b=2")
        .header("cookie", "c=3")
        .body(Empty::<Bytes>::new());
    let answer = client.send_request(request.unwrap()).await.unwrap();
    assert_eq!(answer.status(), 200);
    let head = server.seen()[0].head.to_ascii_lowercase();
    assert_eq!(head.matches("cookie:").count(), 1, "{head}");
    assert!(head.contains("\r\ncookie: a=1; b=2; c=3"), "{head}");
    drop((client, answer));
    connection.await.unwrap().unwrap();
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_connections_are_closed() {
    let server = Server::start(Behaviour::GOOD).await;
    let listener = "http2 = true\n[client]\nidle = \"300ms\"";
    let proxy = Proxy::start(&configuration(listener, "", server.address));
    let stream = TcpStream::connect(proxy.address).await.unwrap();
    let (client, connection) = hyper::client::conn::http2::handshake::<_, _, Empty<Bytes>>(
        TokioExecutor::new(),
        TokioIo::new(stream),
    )
    .await
    .unwrap();
    // It ends though the client would stay.
    let ended = tokio::time::timeout(crate::harness::HANG, connection).await;
    assert!(ended.is_ok(), "the connection stays open");
    drop(client);
    proxy.finish().await;
}

/// What is in flight is answered, and then the connection ends (GOAWAY).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopping_ends_connections_after_the_last_answer() {
    let server = Server::start(Behaviour::after(300)).await;
    let proxy = Proxy::start(&configuration("http2 = true", "", server.address));
    let stream = TcpStream::connect(proxy.address).await.unwrap();
    let (mut client, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
            .await
            .unwrap();
    let connection = tokio::spawn(connection);
    let request = Request::get("http://example.org/").body(Empty::<Bytes>::new());
    let answer = client.send_request(request.unwrap());
    let asked = tokio::spawn(answer);
    until("it is being served", async || !server.seen().is_empty()).await;
    let stopping = tokio::spawn(proxy.running.stop());
    let answer = asked.await.unwrap().unwrap();
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, "hello");
    // The client would stay.
    tokio::time::timeout(crate::harness::HANG, connection)
        .await
        .expect("the connection ends")
        .unwrap()
        .unwrap();
    assert_eq!(stopping.await.unwrap(), 0);
    drop(client);
}
