//! TLS: certificates for tests, and clients that look at what they are shown.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::client::WantsClientCert;
use tokio_rustls::rustls::crypto::ring::sign::any_supported_type;
use tokio_rustls::rustls::sign::{CertifiedKey, SingleCertAndKey};
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{
    ClientConfig, ConfigBuilder, HandshakeKind, RootCertStore, SupportedProtocolVersion,
};

/// The path of a certificate for tests.
pub(crate) fn certificate(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/proxy/certificates")
        .join(name)
}

/// What a certificate for tests is in a handshake.
pub(crate) fn der(name: &str) -> Vec<u8> {
    let path = certificate(&format!("{name}.pem"));
    CertificateDer::from_pem_file(path).unwrap().to_vec()
}

/// A certificate and its key that can be replaced.
pub(crate) struct Files(PathBuf);

impl Files {
    pub(crate) fn of(folder: &TempDir) -> Self {
        Self::named(folder, "current")
    }

    /// One of several in a folder.
    pub(crate) fn named(folder: &TempDir, name: &str) -> Self {
        Self(folder.path().join(name))
    }

    /// The file of this kind: `pem` or `key`.
    pub(crate) fn path(&self, kind: &str) -> PathBuf {
        self.0.with_extension(kind)
    }

    pub(crate) fn put(&self, name: &str) {
        for kind in ["pem", "key"] {
            std::fs::copy(certificate(&format!("{name}.{kind}")), self.path(kind)).unwrap();
        }
    }

    /// The two fields of a table.
    pub(crate) fn fields(&self) -> String {
        let (pem, key) = (self.path("pem"), self.path("key"));
        format!("certificate = {pem:?}, key = {key:?}")
    }

    pub(crate) fn tls(&self) -> String {
        format!("tls = {{ {} }}", self.fields())
    }
}

/// The two fields of a table, for a certificate for tests.
pub(crate) fn fields(name: &str) -> String {
    format!(
        "certificate = {:?}, key = {:?}",
        certificate(&format!("{name}.pem")),
        certificate(&format!("{name}.key"))
    )
}

pub(crate) fn tls() -> String {
    format!("tls = {{ {} }}", fields("server"))
}

/// A TLS connection that offers these protocols.
pub(crate) async fn encrypted(
    to: SocketAddr,
    protocols: &[&str],
) -> std::io::Result<TlsStream<TcpStream>> {
    encrypted_over(TcpStream::connect(to).await?, protocols).await
}

/// The same over this connection.
pub(crate) async fn encrypted_over<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    protocols: &[&str],
) -> std::io::Result<TlsStream<S>> {
    let name = ServerName::try_from("localhost").unwrap();
    TlsConnector::from(Arc::new(client(protocols)))
        .connect(name, stream)
        .await
}

pub(crate) fn client(protocols: &[&str]) -> ClientConfig {
    client_of(&[&TLS13, &TLS12], protocols)
}

/// What a client that trusts our authority offers. It remembers its sessions.
pub(crate) fn client_of(
    versions: &[&'static SupportedProtocolVersion],
    protocols: &[&str],
) -> ClientConfig {
    let config = trusting(versions).with_no_client_auth();
    speaking(config, protocols)
}

/// The same for a client that shows this certificate to those who ask for one.
pub(crate) fn client_with(
    name: &str,
    versions: &[&'static SupportedProtocolVersion],
    protocols: &[&str],
) -> ClientConfig {
    let chain = CertificateDer::pem_file_iter(certificate(&format!("{name}.pem"))).unwrap();
    let chain = chain.map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_file(certificate(&format!("{name}.key"))).unwrap();
    let key = any_supported_type(&key).unwrap();
    let shown = SingleCertAndKey::from(CertifiedKey::new(chain, key));
    let config = trusting(versions).with_client_cert_resolver(Arc::new(shown));
    speaking(config, protocols)
}

fn trusting(
    versions: &[&'static SupportedProtocolVersion],
) -> ConfigBuilder<ClientConfig, WantsClientCert> {
    let mut roots = RootCertStore::empty();
    roots.add(der("authority").into()).unwrap();
    ClientConfig::builder_with_protocol_versions(versions).with_root_certificates(roots)
}

fn speaking(mut config: ClientConfig, protocols: &[&str]) -> ClientConfig {
    config.alpn_protocols = protocols
        .iter()
        .map(|name| name.as_bytes().into())
        .collect();
    config
}

/// Begins TLS and sends a request, after which the client has what it needs to resume. Returns how
/// the connection began, and the certificate that the client relies on.
pub(crate) async fn ask_over_tls<S>(connector: &TlsConnector, stream: S) -> (HandshakeKind, Vec<u8>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    ask_for_name(connector, stream, "localhost").await.unwrap()
}

/// The same for a client that asks for this name.
pub(crate) async fn ask_for_name<S>(
    connector: &TlsConnector,
    stream: S,
    name: &str,
) -> io::Result<(HandshakeKind, Vec<u8>)>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let name = ServerName::try_from(name.to_owned()).unwrap();
    let mut stream = connector.connect(name, stream).await?;
    let begun = stream.get_ref().1.handshake_kind().unwrap();
    let shown = stream.get_ref().1.peer_certificates().unwrap()[0].to_vec();
    let request = b"GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    stream.write_all(request).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    assert!(answer.starts_with(b"HTTP/1.1 200"));
    Ok((begun, shown))
}
