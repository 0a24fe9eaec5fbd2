//! TLS: reads certificates and keys from files, and says what is spoken.

use std::path::Path;
use std::sync::Arc;

use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use tokio_rustls::rustls::client::verify_server_cert_signed_by_trust_anchor;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::server::{ParsedCertificate, ServerSessionMemoryCache};
use tokio_rustls::rustls::sign::{CertifiedKey, SingleCertAndKey};
use tokio_rustls::rustls::{CertificateError, ClientConfig, Error, RootCertStore, ServerConfig};

use super::config::{ListenerTls, Protocol, UpstreamTls};
use super::servers::Secured;
use super::shown_path::shown;
use super::unverified::Unverified;

/// How many sessions are kept for clients that return.
const SESSIONS: usize = 256;

/// Which of the two files is bad, and what is wrong with it.
#[derive(Debug)]
pub(crate) enum BadFile {
    Certificate(String),
    Key(String),
}

impl BadFile {
    pub(crate) fn into_problem(self) -> String {
        match self {
            Self::Certificate(problem) | Self::Key(problem) => problem,
        }
    }
}

/// Reads certificate and key and checks that they belong together.
pub(crate) fn load(files: &ListenerTls) -> Result<Arc<CertifiedKey>, BadFile> {
    let chain = certificates(&files.certificate).map_err(BadFile::Certificate)?;
    if let Some(place) = chain.iter().position(is_malformed) {
        return Err(BadFile::Certificate(format!(
            "number {} of the certificates in '{}' is malformed",
            place + 1,
            shown(&files.certificate)
        )));
    }
    let path = &files.key;
    let key = PrivateKeyDer::from_pem_file(path).map_err(|error| {
        BadFile::Key(format!(
            "cannot read a private key from '{}': {error}",
            shown(path)
        ))
    })?;
    match CertifiedKey::from_der(chain, key, &ring::default_provider()) {
        Ok(pair) => Ok(Arc::new(pair)),
        Err(error) => Err(BadFile::Key(format!(
            "the key in '{}' cannot be used with that certificate: {error}",
            shown(path)
        ))),
    }
}

/// Whether this is no certificate. One that our library cannot verify may be one all the same, such
/// as an old root at the end of a chain.
fn is_malformed(certificate: &CertificateDer<'static>) -> bool {
    matches!(
        ParsedCertificate::try_from(certificate),
        Err(Error::InvalidCertificate(CertificateError::BadEncoding))
    )
}

/// What is wrong if the certificate has expired by the clock of this machine.
pub(crate) fn expired(pair: &CertifiedKey, files: &ListenerTls) -> Option<String> {
    let parsed = ParsedCertificate::try_from(pair.cert.first()?).ok()?;
    // The times are verified first, so it does not matter which authority has signed.
    let verified = verify_server_cert_signed_by_trust_anchor(
        &parsed,
        &RootCertStore::empty(),
        &[],
        UnixTime::now(),
        provider().signature_verification_algorithms.all,
    );
    let is_expired = matches!(
        verified,
        Err(Error::InvalidCertificate(
            CertificateError::Expired | CertificateError::ExpiredContext { .. }
        ))
    );
    let problem = || {
        format!(
            "the certificate in '{}' has expired: renew it",
            shown(&files.certificate)
        )
    };
    is_expired.then(problem)
}

/// TLS to clients with this certificate, and with sessions of its own.
pub(crate) fn to_clients(pair: Arc<CertifiedKey>, http2: bool) -> Arc<ServerConfig> {
    let mut config = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .expect("the provider has the default versions")
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(pair)));
    config.session_storage = ServerSessionMemoryCache::new(SESSIONS);
    let protocols: &[&[u8]] = if http2 {
        &[b"h2", b"http/1.1"]
    } else {
        &[b"http/1.1"]
    };
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    Arc::new(config)
}

/// TLS to servers that speak `protocol`.
pub(crate) fn to_servers(tls: &UpstreamTls, protocol: Protocol) -> Result<Secured, String> {
    let name = ServerName::try_from(tls.name.clone());
    let name = name.map_err(|_| format!("'{}' is not the name of a server", tls.name))?;
    let builder = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .expect("the provider has the default versions");
    let mut trusted = None;
    let mut config = if tls.verify {
        let roots = match &tls.ca {
            Some(path) => authorities(path)?,
            None => system_authorities()?,
        };
        trusted = Some(roots.roots.clone());
        builder.with_root_certificates(roots).with_no_client_auth()
    } else {
        builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Unverified::new(provider())))
            .with_no_client_auth()
    };
    let spoken: &[u8] = match protocol {
        Protocol::Http1 => b"http/1.1",
        Protocol::Http2 => b"h2",
    };
    config.alpn_protocols = vec![spoken.to_vec()];
    let config = Arc::new(config);
    Ok(Secured {
        config,
        name,
        trusted,
    })
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

/// The certificates of the authorities that sign those of servers.
pub(crate) fn authorities(path: &Path) -> Result<RootCertStore, String> {
    let mut store = RootCertStore::empty();
    for certificate in certificates(path)? {
        store.add(certificate).map_err(|error| {
            format!(
                "a certificate in '{}' cannot be used to verify others: {error}",
                shown(path)
            )
        })?;
    }
    Ok(store)
}

/// The certificates of the authorities that the system trusts.
fn system_authorities() -> Result<RootCertStore, String> {
    let found = rustls_native_certs::load_native_certs();
    let found = found.map_err(|error| format!("cannot read the system's certificates: {error}"))?;
    let mut store = RootCertStore::empty();
    // Some of the system's may be too old for us. The others are good.
    store.add_parsable_certificates(found);
    Ok(store)
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let found: Result<Vec<_>, _> =
        CertificateDer::pem_file_iter(path).and_then(|found| found.collect());
    match found {
        Ok(found) if found.is_empty() => {
            Err(format!("there is no certificate in '{}'", shown(path)))
        }
        Ok(found) => Ok(found),
        Err(error) => Err(format!(
            "cannot read certificates from '{}': {error}",
            shown(path)
        )),
    }
}
