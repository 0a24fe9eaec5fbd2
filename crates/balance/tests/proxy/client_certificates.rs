//! Certificates of clients, and the one that the proxy shows to servers.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use http::Request;
use http_body_util::{BodyExt as _, Empty};
use hyper::body::Bytes;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls_pki_types::ServerName;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{AlertDescription, ClientConfig, Error, HandshakeKind};

use crate::harness::{
    Behaviour, Files, Proxy, Seen, Server, ask_for_name, ask_over_tls, certificate, client_of,
    client_with, fields,
};
use crate::http2::configuration;

/// A listener for clients with certificates of this authority.
fn listener(authority: &str, more: &str) -> String {
    let ca = certificate(&format!("{authority}.pem"));
    let own = fields("server");
    format!("tls = {{ {own}, clients = {{ ca = {ca:?}{more} }} }}")
}

/// What servers are told of this certificate: its text without the lines around it.
fn told(name: &str) -> String {
    let text = fs::read_to_string(certificate(&format!("{name}.pem"))).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with("---"));
    format!(":{}:", lines.collect::<String>())
}

/// The values of this field in what a server got.
fn values<'a>(seen: &'a Seen, name: &str) -> Vec<&'a str> {
    let lines = seen.head.lines().filter_map(|line| line.split_once(':'));
    let same = lines.filter(|(key, _)| key.eq_ignore_ascii_case(name));
    same.map(|(_, value)| value.trim()).collect()
}

async fn connect(to: SocketAddr, config: ClientConfig) -> io::Result<TlsStream<TcpStream>> {
    let stream = TcpStream::connect(to).await?;
    let name = ServerName::try_from("localhost").unwrap();
    TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await
}

/// The alert that a client gets instead of an answer.
async fn alert(to: SocketAddr, config: ClientConfig) -> AlertDescription {
    let connector = TlsConnector::from(Arc::new(config));
    let stream = TcpStream::connect(to).await.unwrap();
    let asked = ask_for_name(&connector, stream, "localhost").await;
    let error = asked.expect_err("it is refused");
    match error.get_ref().and_then(|error| error.downcast_ref()) {
        Some(Error::AlertReceived(alert)) => *alert,
        _ => panic!("no alert: {error}"),
    }
}

/// Asks over HTTP/2, with these fields.
async fn ask_over_http2(stream: TlsStream<TcpStream>, fields: &[(&str, &str)]) {
    let io = TokioIo::new(stream);
    let handshake = hyper::client::conn::http2::handshake(TokioExecutor::new(), io);
    let (mut client, connection) = handshake.await.unwrap();
    let connection = tokio::spawn(connection);
    let mut request = Request::get("https://example.org/");
    for (name, value) in fields {
        request = request.header(*name, *value);
    }
    let request = request.body(Empty::<Bytes>::new()).unwrap();
    let answer = client.send_request(request).await.unwrap();
    assert_eq!(answer.status(), 200);
    answer.into_body().collect().await.unwrap();
    drop(client);
    connection.await.unwrap().unwrap();
}

/// A client without a certificate that verifies is told so by an alert.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_certificate_is_required() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::start(&configuration(&listener("clients", ""), "", server.address));
    for version in [&TLS12, &TLS13] {
        for protocol in ["http/1.1", "h2"] {
            let without = client_of(&[version], &[protocol]);
            let alert_without = alert(proxy.address, without).await;
            assert_eq!(alert_without, AlertDescription::CertificateRequired);
            for (name, expected) in [
                ("server", AlertDescription::UnsupportedCertificate),
                ("expired", AlertDescription::CertificateExpired),
                ("expired-client", AlertDescription::CertificateExpired),
            ] {
                let other = client_with(name, &[version], &[protocol]);
                assert_eq!(alert(proxy.address, other).await, expected, "{name}");
            }
        }
    }
    assert!(server.seen().is_empty());
    for version in [&TLS12, &TLS13] {
        let good = TlsConnector::from(Arc::new(client_with("client", &[version], &["http/1.1"])));
        let stream = TcpStream::connect(proxy.address).await.unwrap();
        ask_over_tls(&good, stream).await;
        let good = client_with("client", &[version], &["h2"]);
        ask_over_http2(connect(proxy.address, good).await.unwrap(), &[]).await;
    }
    let seen = server.seen();
    assert_eq!(seen.len(), 4);
    // Servers are told if the file says so.
    assert!(seen.iter().all(|it| values(it, "client-cert").is_empty()));
    proxy.finish().await;
}

/// The authority must be the one that is asked for, and its certificate one for clients.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_certificate_of_the_wrong_kind() {
    let server = Server::start(Behaviour::GOOD).await;
    let listener = listener("authority", "");
    let proxy = Proxy::start(&configuration(&listener, "", server.address));
    for (name, expected) in [
        ("client", AlertDescription::UnknownCA),
        ("server", AlertDescription::UnsupportedCertificate),
    ] {
        let wrong = client_with(name, &[&TLS13], &["http/1.1"]);
        assert_eq!(alert(proxy.address, wrong).await, expected);
    }
    proxy.finish().await;
}

/// Clients without a certificate are served, and with one that does not verify they are not.
/// Whom an authority vouches for does not depend on its own certificate's time (RFC 5280, section
/// 6.1.1), which is only warned of.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_authority_that_has_expired_is_trusted() {
    let server = Server::start(Behaviour::GOOD).await;
    let listener = listener("expired-clients", "");
    let proxy = Proxy::start(&configuration(&listener, "", server.address));
    for version in [&TLS12, &TLS13] {
        let config = client_with("client-of-expired", &[version], &["http/1.1"]);
        let stream = TcpStream::connect(proxy.address).await.unwrap();
        ask_over_tls(&TlsConnector::from(Arc::new(config)), stream).await;
    }
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_certificate_is_optional() {
    let server = Server::start(Behaviour::GOOD).await;
    let listener = listener("clients", ", certificate = \"optional\", forward = true");
    let proxy = Proxy::start(&configuration(&listener, "", server.address));
    let spoofed = [("client-cert", ":AAAA:"), ("client-cert-chain", ":AAAA:")];
    for version in [&TLS12, &TLS13] {
        let without = client_of(&[version], &["h2"]);
        ask_over_http2(connect(proxy.address, without).await.unwrap(), &spoofed).await;
        let with = client_with("client", &[version], &["h2"]);
        ask_over_http2(connect(proxy.address, with).await.unwrap(), &spoofed).await;
        let seen = server.seen();
        let [.., without, with] = &seen[..] else {
            panic!("two requests");
        };
        assert!(values(without, "client-cert").is_empty());
        assert_eq!(values(with, "client-cert"), [told("client")]);
        assert!(
            seen.iter()
                .all(|it| values(it, "client-cert-chain").is_empty())
        );
        let wrong = client_with("server", &[version], &["http/1.1"]);
        let alert = alert(proxy.address, wrong).await;
        assert_eq!(alert, AlertDescription::UnsupportedCertificate);
    }
    proxy.finish().await;
}

/// What servers are told about a certificate does not come from clients: not in other spellings,
/// not twice, and not at another listener. `Connection` does not remove it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_cannot_say_what_their_certificate_is() {
    let server = Server::start(Behaviour::GOOD).await;
    let listener = listener("clients", ", forward = true");
    let listeners = format!("{listener}\n[[listeners]]\naddress = \"127.0.0.1:0\"");
    let proxy = Proxy::start(&configuration(&listeners, "", server.address));
    let request = b"POST / HTTP/1.1\r\nhost: a\r\nConnection: close, Client-Cert\r\n\
        client-cert: :AAAA:\r\nClient-Cert: :BBBB:\r\nclient_cert: :AAAA:\r\n\
        client.cert: :AAAA:\r\nCLIENT-CERT-CHAIN: :AAAA:\r\n\
        client_cert_chain: :AAAA:\r\nclient-certs: 1\r\ncontent-length: 1\r\n\r\nx";
    let config = client_with("client", &[&TLS13], &["http/1.1"]);
    let mut stream = connect(proxy.address, config).await.unwrap();
    stream.write_all(request).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 200"));
    let plain = proxy.running.addresses()[1].ip().unwrap();
    let answer = crate::harness::send(plain, request).await.unwrap();
    assert_eq!(answer.status, 200);
    let seen = server.seen();
    assert_eq!(values(&seen[0], "client-cert"), [told("client")]);
    assert!(values(&seen[1], "client-cert").is_empty());
    for seen in &seen {
        assert_eq!(values(seen, "client-certs"), ["1"], "{}", seen.head);
        for name in [
            "client_cert",
            "client.cert",
            "client-cert-chain",
            "client_cert_chain",
        ] {
            assert!(values(seen, name).is_empty(), "{}", seen.head);
        }
    }
    proxy.finish().await;
}

/// Where no listener tells servers about certificates, the field is like any other: another proxy
/// in front of this one may send it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_field_of_another_proxy_is_passed_on() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::start(&configuration("", "", server.address));
    let request = b"GET / HTTP/1.1\r\nhost: a\r\nclient-cert: :AAAA:\r\n\r\n";
    assert_eq!(proxy.send(request).await.unwrap().status, 200);
    assert_eq!(values(&server.seen()[0], "client-cert"), [":AAAA:"]);
    proxy.finish().await;
}

/// Every handshake verifies. So no session lets a client in once the authority is another, or the
/// certificate has expired.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_session_stands_for_a_certificate() {
    let server = Server::start(Behaviour::GOOD).await;
    let folder = tempfile::tempdir().unwrap();
    let ca = folder.path().join("clients.pem");
    let own = fields("server");
    let with = format!("tls = {{ {own}, clients = {{ ca = {ca:?} }} }}");
    let text = |listener: &str| configuration(listener, "", server.address);
    fs::copy(certificate("clients.pem"), &ca).unwrap();
    let proxy = Proxy::start(&text(&format!("tls = {{ {own} }}")));
    for version in [&TLS12, &TLS13] {
        fs::copy(certificate("clients.pem"), &ca).unwrap();
        proxy.rewrite(&text(&format!("tls = {{ {own} }}")));
        proxy.running.reload().unwrap();
        let stranger = TlsConnector::from(Arc::new(client_of(&[version], &["http/1.1"])));
        let known = TlsConnector::from(Arc::new(client_with("client", &[version], &["http/1.1"])));
        let ask = async |connector: &TlsConnector| {
            let stream = TcpStream::connect(proxy.address).await.unwrap();
            let asked = ask_for_name(connector, stream, "localhost").await;
            asked.map(|(kind, _)| kind).map_err(|_| "refused")
        };
        for connector in [&stranger, &known] {
            assert_eq!(ask(connector).await, Ok(HandshakeKind::Full));
            assert_eq!(ask(connector).await, Ok(HandshakeKind::Resumed));
        }
        // Sessions that began before certificates were asked for.
        proxy.rewrite(&text(&with));
        proxy.running.reload().unwrap();
        assert_eq!(ask(&stranger).await, Err("refused"));
        assert_eq!(ask(&known).await, Ok(HandshakeKind::Full));
        assert_eq!(ask(&known).await, Ok(HandshakeKind::Full));
        // A bad file changes nothing.
        fs::write(&ca, "").unwrap();
        let error = proxy.running.reload().unwrap_err().to_string();
        let complaint = "listeners.tls.clients.ca: there is no certificate in";
        assert!(error.contains(complaint), "{error}");
        assert_eq!(ask(&known).await, Ok(HandshakeKind::Full));
        fs::copy(certificate("authority.pem"), &ca).unwrap();
        proxy.running.reload().unwrap();
        assert_eq!(ask(&known).await, Err("refused"));
        assert_eq!(ask(&stranger).await, Err("refused"));
    }
    proxy.finish().await;
}

/// Servers are shown a certificate, by HTTP/1 and HTTP/2 and by health checks. When it is replaced,
/// connections that were made with the old one are not used.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_are_shown_a_certificate() {
    let server = Server::start(Behaviour::GOOD).await;
    let listener = listener("clients", ", forward = true");
    let inner = Proxy::start(&configuration(&listener, "", server.address));
    let authority = certificate("authority.pem");
    let tls = format!("name = \"localhost\", ca = {authority:?}");
    for protocol in ["http1", "http2"] {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::of(&folder);
        files.put("client");
        let group = |tls: &str| format!("protocol = \"{protocol}\"\ntls = {{ {tls} }}");
        let text = |tls: &str| configuration("", &group(tls), inner.address);
        let outer = Proxy::start(&text(&tls));
        let answer = outer.get("/").await.expect("an answer");
        assert_eq!(answer.status, 502, "a server that asks for one");
        let with = format!("{tls}, {}", files.fields());
        outer.rewrite(&text(&with));
        outer.running.reload().unwrap();
        let shown = async || {
            let answer = outer.get("/").await.expect("an answer");
            assert_eq!(answer.status, 200);
            let seen = server.seen();
            values(seen.last().unwrap(), "client-cert")[0].to_owned()
        };
        for _ in 0..4 {
            assert_eq!(shown().await, told("client"));
        }
        files.put("renewed-client");
        outer.running.reload().unwrap();
        for _ in 0..4 {
            assert_eq!(shown().await, told("renewed-client"));
        }
        for (name, complaint) in [
            ("expired-client", "groups.tls.certificate: "),
            ("", "groups.tls.key: "),
        ] {
            if name.is_empty() {
                files.put("client");
                fs::remove_file(files.path("key")).unwrap();
            } else {
                files.put(name);
            }
            let error = outer.running.reload().unwrap_err().to_string();
            assert!(error.contains(complaint), "{error}");
            assert_eq!(shown().await, told("renewed-client"));
        }
        outer.finish().await;
    }
    inner.finish().await;
}
