//! Which of several certificates a client is shown.

use std::net::SocketAddr;
use std::sync::Arc;

use rustls_pki_types::{CertificateDer, ServerName, UnixTime};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{
    CipherSuite, ClientConfig, DigitallySignedStruct, Error, HandshakeKind, SignatureScheme,
    SupportedCipherSuite,
};

use crate::harness::{
    Behaviour, Files, Proxy, Server, ask_for_name, certificate, client_of, der, encrypted, fields,
};
use crate::http2::configuration;

/// A listener with these certificates, each given by its fields.
fn listener(certificates: &[String]) -> String {
    let tables = certificates.iter().map(|fields| format!("{{ {fields} }}"));
    let tables: Vec<_> = tables.collect();
    format!("tls = {{ certificates = [{}] }}", tables.join(", "))
}

/// A proxy with these certificates for tests.
fn start(names: &[&str], server: &Server) -> Proxy {
    let certificates: Vec<_> = names.iter().map(|name| fields(name)).collect();
    Proxy::start(&configuration(&listener(&certificates), "", server.address))
}

/// A client that takes any certificate, and says that it can verify such signatures.
#[derive(Debug)]
struct AnyCertificate(Vec<SignatureScheme>);

impl AnyCertificate {
    fn with_all() -> Self {
        let algorithms = ring::default_provider().signature_verification_algorithms;
        Self(algorithms.supported_schemes())
    }

    /// A client with these cipher suites.
    fn client(self, can_use: impl Fn(&SupportedCipherSuite) -> bool) -> ClientConfig {
        let mut provider = ring::default_provider();
        provider.cipher_suites.retain(can_use);
        ClientConfig::builder_with_provider(Arc::new(provider))
            .with_safe_default_protocol_versions()
            .unwrap()
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(self))
            .with_no_client_auth()
    }
}

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.clone()
    }
}

/// The certificate that such a client is shown if it asks for this name.
async fn shown(to: SocketAddr, config: ClientConfig, name: &str) -> Vec<u8> {
    let connector = TlsConnector::from(Arc::new(config));
    let stream = TcpStream::connect(to).await.unwrap();
    let (_, shown) = ask_for_name(&connector, stream, name).await.unwrap();
    shown
}

/// Exact names come before wildcards, a wildcard is for one label, and the first certificate is for
/// all others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_chooses_the_certificate() {
    let server = Server::start(Behaviour::GOOD).await;
    // x.b.example is a name of `exact`, and fits the wildcard of `wild`.
    let proxy = start(&["server", "wild", "exact"], &server);
    for (name, expected) in [
        ("localhost", "server"),
        ("c.example", "wild"),
        ("a.example", "exact"),
        ("A.Example", "exact"),
        ("x.b.example", "exact"),
        ("X.B.EXAMPLE", "exact"),
        ("y.b.example", "wild"),
        ("b.example", "server"),
        ("y.x.b.example", "server"),
        ("unknown.example", "server"),
        // An address is no name, so a client asks for none.
        ("127.0.0.1", "server"),
        ("::1", "server"),
    ] {
        let config = AnyCertificate::with_all().client(|_| true);
        let shown = shown(proxy.address, config, name).await;
        assert_eq!(shown, der(expected), "{name}");
    }
    let mut silent = AnyCertificate::with_all().client(|_| true);
    silent.enable_sni = false;
    let shown = shown(proxy.address, silent, "a.example").await;
    assert_eq!(shown, der("server"));
    proxy.finish().await;
}

/// The list may be written as tables of its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn certificates_are_tables_too() {
    let server = Server::start(Behaviour::GOOD).await;
    let table = |name: &str| {
        let fields = fields(name).replace(", ", "\n");
        format!("[[listeners.tls.certificates]]\n{fields}\n")
    };
    let listener = format!("{}{}", table("nameless"), table("server"));
    let proxy = Proxy::start(&configuration(&listener, "", server.address));
    for (name, expected) in [("localhost", "server"), ("a.example", "nameless")] {
        let config = AnyCertificate::with_all().client(|_| true);
        assert_eq!(shown(proxy.address, config, name).await, der(expected));
    }
    proxy.finish().await;
}

/// Two certificates may have one name if their keys are of different types: the first that the
/// client can use is shown.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_type_of_the_key_chooses_too() {
    let server = Server::start(Behaviour::GOOD).await;
    let elliptic = [SignatureScheme::ECDSA_NISTP256_SHA256];
    let rsa = [
        SignatureScheme::RSA_PSS_SHA256,
        SignatureScheme::RSA_PKCS1_SHA256,
    ];
    let is_new = |suite: &SupportedCipherSuite| suite.tls13().is_some();
    let is_old = |suite: &SupportedCipherSuite| suite.tls13().is_none();
    let is_rsa = |suite: &SupportedCipherSuite| {
        suite.suite() == CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
    };
    for (order, preferred) in [(["server", "rsa"], "server"), (["rsa", "server"], "rsa")] {
        let proxy = start(&order, &server);
        // An unknown name gets what the first name of the first certificate would.
        for name in ["localhost", "unknown.example"] {
            let shown = async |schemes: &[SignatureScheme], suites: &dyn Fn(&_) -> bool| {
                let config = AnyCertificate(schemes.to_vec()).client(suites);
                shown(proxy.address, config, name).await
            };
            for suites in [&is_new as &dyn Fn(&_) -> bool, &is_old] {
                assert_eq!(shown(&elliptic, suites).await, der("server"));
                assert_eq!(shown(&rsa, suites).await, der("rsa"));
                let both = [&elliptic[..], &rsa].concat();
                assert_eq!(shown(&both, suites).await, der(preferred));
                let both = [&rsa[..], &elliptic].concat();
                assert_eq!(shown(&both, suites).await, der(preferred));
            }
            // With TLS 1.2 the cipher suite names the type of the key as well.
            let both = [&elliptic[..], &rsa].concat();
            assert_eq!(shown(&both, &is_rsa).await, der("rsa"));
        }
        proxy.finish().await;
    }
}

/// Sessions end with the certificate that they began under, those of the others go on, and a
/// session is of no use under a name for which another certificate is shown now.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_certificate_has_sessions_of_its_own() {
    let server = Server::start(Behaviour::GOOD).await;
    let folder = tempfile::tempdir().unwrap();
    let local = Files::named(&folder, "local");
    local.put("server");
    let text = |certificates: &[String]| configuration(&listener(certificates), "", server.address);
    let wide = [local.fields(), fields("wild")];
    let exact = [local.fields(), fields("wild"), fields("exact")];
    let proxy = Proxy::start(&text(&wide));
    for version in [&TLS12, &TLS13] {
        let connector = TlsConnector::from(Arc::new(client_of(&[version], &["http/1.1"])));
        let ask = async |name: &str| {
            let stream = TcpStream::connect(proxy.address).await.unwrap();
            ask_for_name(&connector, stream, name).await.unwrap()
        };
        local.put("server");
        proxy.rewrite(&text(&wide));
        proxy.running.reload().unwrap();
        for kind in [HandshakeKind::Full, HandshakeKind::Resumed] {
            assert_eq!(ask("localhost").await, (kind, der("server")));
            assert_eq!(ask("x.b.example").await, (kind, der("wild")));
            assert_eq!(ask("y.b.example").await, (kind, der("wild")));
        }
        // The first is replaced, and another comes first for one of the names of the second.
        local.put("renewed");
        proxy.rewrite(&text(&exact));
        proxy.running.reload().unwrap();
        for kind in [HandshakeKind::Full, HandshakeKind::Resumed] {
            assert_eq!(ask("localhost").await, (kind, der("renewed")));
            assert_eq!(ask("x.b.example").await, (kind, der("exact")));
            let (kind, wild) = ask("y.b.example").await;
            assert_eq!((kind, wild), (HandshakeKind::Resumed, der("wild")));
        }
    }
    proxy.finish().await;
}

/// A bad file among several changes none of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bad_one_changes_none() {
    let server = Server::start(Behaviour::GOOD).await;
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (
        Files::named(&folder, "first"),
        Files::named(&folder, "second"),
    );
    first.put("server");
    second.put("exact");
    let listener = listener(&[first.fields(), second.fields()]);
    let proxy = Proxy::start(&configuration(&listener, "", server.address));
    first.put("renewed");
    let no_key = || std::fs::copy(certificate("wild.key"), second.path("key"));
    let damage: [(&dyn Fn(), &str); 4] = [
        (&|| drop(no_key()), "listeners.tls.certificates.key: "),
        (&|| second.put("expired"), "'localhost' is also a name of"),
        (&|| second.put("expired-other"), "has expired"),
        (
            &|| std::fs::remove_file(second.path("pem")).unwrap(),
            "listeners.tls.certificates.certificate: cannot read",
        ),
    ];
    for (damage, complaint) in damage {
        damage();
        let error = proxy.running.reload().unwrap_err().to_string();
        assert!(error.contains(complaint), "{error}");
        let stream = encrypted(proxy.address, &[]).await.unwrap();
        let shown = &stream.get_ref().1.peer_certificates().unwrap()[0];
        assert_eq!(shown.to_vec(), der("server"));
    }
    second.put("exact");
    proxy.running.reload().unwrap();
    let stream = encrypted(proxy.address, &[]).await.unwrap();
    let shown = &stream.get_ref().1.peer_certificates().unwrap()[0];
    assert_eq!(shown.to_vec(), der("renewed"));
    drop(stream);
    proxy.finish().await;
}
