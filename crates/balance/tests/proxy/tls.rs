//! TLS connections that begin badly, or end.

use std::io;
use std::sync::Arc;

use rustls_pki_types::ServerName;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::harness::{
    Behaviour, HANG, Proxy, Server, certificate, client, client_of, client_with, der, encrypted,
    fields, tls, until,
};
use crate::http2::configuration;

/// The preface of HTTP/2 with empty settings, and a request for `/`.
const HTTP2_REQUEST: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\
    \x00\x00\x00\x04\x00\x00\x00\x00\x00\
    \x00\x00\x06\x01\x05\x00\x00\x00\x01\x82\x84\x87\x01\x01a";

const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n";

/// The beginning of a record with a message of the client's.
const HALF_A_HELLO: &[u8] = b"\x16\x03\x01\x02\x00\x01";

/// Reads to the end, of which TLS tells whether it is one.
async fn end(stream: &mut (impl tokio::io::AsyncRead + Unpin)) -> io::Result<usize> {
    let mut rest = Vec::new();
    let read = stream.read_to_end(&mut rest);
    timeout(HANG, read).await.expect("an end in time")
}

/// A client that has chosen HTTP/2 and then says nothing, or not enough, has as long as any other
/// new client, and not as long as one that is idle between requests.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_client_of_http2_is_closed() {
    let server = Server::start(Behaviour::GOOD).await;
    let listener = format!("{}\n[client]\nheader = \"300ms\"\nidle = \"1h\"", tls());
    let proxy = Proxy::start(&configuration(&listener, "", server.address));
    for said in [&b""[..], b"PRI * HTTP/2.0\r\n"] {
        let mut stream = encrypted(proxy.address, &["h2"]).await.unwrap();
        stream.write_all(said).await.unwrap();
        assert_eq!(end(&mut stream).await.unwrap(), 0);
    }
    proxy.finish().await;
}

/// Before it closes an idle connection, the proxy says so (RFC 8446, section 6.1). Without that a
/// client cannot tell it from one that was cut off.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idle_connection_ends_with_a_notice() {
    let server = Server::start(Behaviour::GOOD).await;
    let listener = format!("{}\n[client]\nheader = \"5s\"\nidle = \"300ms\"", tls());
    let proxy = Proxy::start(&configuration(&listener, "", server.address));
    for (protocol, request) in [
        ("http/1.1", &b"GET / HTTP/1.1\r\nhost: a\r\n\r\n"[..]),
        ("h2", HTTP2_REQUEST),
    ] {
        let mut stream = encrypted(proxy.address, &[protocol]).await.unwrap();
        stream.write_all(request).await.unwrap();
        let read = end(&mut stream).await;
        assert!(read.is_ok_and(|bytes| bytes > 0), "{protocol}");
    }
    assert_eq!(server.seen().len(), 2);
    proxy.finish().await;
}

/// A handshake that does not get on is no request: the proxy does not wait for it when it stops.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopping_does_not_wait_for_handshakes() {
    let server = Server::start(Behaviour::GOOD).await;
    let listener = format!("{}\n[client]\nheader = \"1h\"", tls());
    let text = configuration(&listener, "", server.address);
    let proxy = Proxy::start(&format!("grace = \"1h\"\nlinger = \"300ms\"\n{text}"));
    let mut stuck = TcpStream::connect(proxy.address).await.unwrap();
    stuck.write_all(b"\x16\x03\x01\x02\x00\x01").await.unwrap();
    until("it is accepted", async || {
        proxy.metric("filch_connections").await == 1.0
    })
    .await;
    let stopped = timeout(HANG, proxy.running.stop()).await;
    assert_eq!(stopped.expect("it stops"), 0);
}

/// Bytes that are no TLS get an alert, and the next client is served.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plain_text_gets_an_alert() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::start(&configuration(&tls(), "", server.address));
    let mut plain = TcpStream::connect(proxy.address).await.unwrap();
    plain
        .write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n")
        .await
        .unwrap();
    let mut alert = Vec::new();
    let read = plain.read_to_end(&mut alert);
    timeout(HANG, read).await.expect("an end in time").unwrap();
    assert_eq!(alert.first(), Some(&0x15), "{alert:?}");
    let mut stream = encrypted(proxy.address, &["http/1.1"]).await.unwrap();
    let request = b"GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    stream.write_all(request).await.unwrap();
    assert!(end(&mut stream).await.unwrap() > 0);
    proxy.finish().await;
}

/// Each handshake that fails is counted once, by what has failed, and is no request.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handshakes_that_fail_are_counted() {
    let server = Server::start(Behaviour::GOOD).await;
    let authority = certificate("clients.pem");
    let listener = format!(
        "tls = {{ {}, clients = {{ ca = {authority:?} }} }}",
        fields("server")
    );
    let proxy = Proxy::start(&configuration(&listener, "", server.address));
    let mut plain = TcpStream::connect(proxy.address).await.unwrap();
    plain.write_all(GET).await.unwrap();
    assert_eq!(end(&mut plain).await.unwrap(), 7, "an alert");
    let mut broken = TcpStream::connect(proxy.address).await.unwrap();
    broken.write_all(HALF_A_HELLO).await.unwrap();
    drop(broken);
    // A client that says nothing has begun none.
    drop(TcpStream::connect(proxy.address).await.unwrap());

    let over_tls = async |config: ClientConfig| {
        let stream = TcpStream::connect(proxy.address).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        let connector = TlsConnector::from(Arc::new(config));
        if let Ok(mut stream) = connector.connect(name, stream).await {
            // The client has the last word of a handshake, and then hears the proxy's.
            end(&mut stream).await.unwrap_err();
        }
    };
    // No certificate, and one of another authority.
    over_tls(client_of(&[&TLS13], &["http/1.1"])).await;
    over_tls(client_of(&[&TLS12], &["http/1.1"])).await;
    over_tls(client_with("server", &[&TLS13], &["http/1.1"])).await;
    over_tls(client(&["imap"])).await;
    let mut trusts_others = RootCertStore::empty();
    trusts_others.add(der("clients").into()).unwrap();
    let verifier = WebPkiServerVerifier::builder(Arc::new(trusts_others));
    let mut distrustful = client(&["http/1.1"]);
    let verifier = verifier.build().unwrap();
    distrustful.dangerous().set_certificate_verifier(verifier);
    over_tls(distrustful).await;

    for (reason, count) in [
        ("certificate", 3.0),
        ("alert", 1.0),
        ("incompatible", 1.0),
        ("malformed", 1.0),
        ("broken", 1.0),
        ("timeout", 0.0),
        ("other", 0.0),
    ] {
        until(reason, async || failed(&proxy, reason).await >= count).await;
        assert_eq!(failed(&proxy, reason).await, count, "{reason}");
    }
    assert_eq!(proxy.metric("filch_requests_refused_total").await, 0.0);
    assert_eq!(proxy.log().len(), 0);
    assert_eq!(server.seen().len(), 0);
    proxy.finish().await;
}

/// One that has begun, that is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handshake_must_end_in_time() {
    let server = Server::start(Behaviour::GOOD).await;
    let listener = format!("{}\n[client]\nheader = \"300ms\"", tls());
    let proxy = Proxy::start(&configuration(&listener, "", server.address));
    let mut silent = TcpStream::connect(proxy.address).await.unwrap();
    assert_eq!(end(&mut silent).await.unwrap(), 0);
    until("it is closed", async || {
        proxy.metric("filch_connections").await == 0.0
    })
    .await;
    assert_eq!(failed(&proxy, "timeout").await, 0.0);
    until("it is counted", async || {
        let mut slow = TcpStream::connect(proxy.address).await.unwrap();
        // On a busy machine it may come too late to begin a handshake.
        let _ = slow.write_all(HALF_A_HELLO).await;
        let _ = end(&mut slow).await;
        failed(&proxy, "timeout").await > 0.0
    })
    .await;
    proxy.finish().await;
}

/// How many handshakes have failed for this reason.
async fn failed(proxy: &Proxy, reason: &str) -> f64 {
    let name = format!("filch_tls_handshakes_failed_total{{reason=\"{reason}\"}}");
    proxy.metric(&name).await
}
