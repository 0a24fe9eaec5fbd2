//! Certificates and keys, from files; a reload reads them again.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use pingora_core::protocols::tls::CaType;
use pingora_core::utils::tls::{WrappedX509, parse_x509};
use pingora_rustls::sign::CertifiedKey;
use pingora_rustls::{ClientHello, CryptoProvider, ResolvesServerCert, RootCertStore};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};

use super::config::ListenerTls;

/// What is wrong with which of the two files.
#[derive(Debug)]
pub(crate) enum Problem {
    Certificate(String),
    Key(String),
}

/// Reads certificate and key and checks that they belong together.
pub(crate) fn load(files: &ListenerTls) -> Result<Arc<CertifiedKey>, Problem> {
    let chain = certificates(&files.certificate).map_err(Problem::Certificate)?;
    let path = &files.key;
    let key = PrivateKeyDer::from_pem_file(path).map_err(|error| {
        Problem::Key(format!(
            "cannot read a private key from '{}': {error}",
            shown(path)
        ))
    })?;
    pingora_rustls::install_default_crypto_provider();
    let provider = CryptoProvider::get_default().expect("it was just installed");
    match CertifiedKey::from_der(chain, key, provider) {
        Ok(pair) => Ok(Arc::new(pair)),
        Err(error) => Err(Problem::Key(format!(
            "the key in '{}' cannot be used with that certificate: {error}",
            shown(path)
        ))),
    }
}

/// The certificates that may sign those of servers.
pub(crate) fn authorities(path: &Path) -> Result<Arc<CaType>, String> {
    let certificates = certificates(path)?;
    let mut store = RootCertStore::empty();
    for certificate in &certificates {
        store.add(certificate.clone()).map_err(|error| {
            format!(
                "a certificate in '{}' cannot be used to verify others: {error}",
                shown(path)
            )
        })?;
    }
    Ok(certificates
        .into_iter()
        .map(|certificate| WrappedX509::new(certificate.to_vec(), parse_x509))
        .collect())
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

fn shown(path: &Path) -> impl fmt::Display {
    path.to_string_lossy().escape_debug().to_string()
}

/// The certificate of a listener, which can be exchanged while it listens.
#[derive(Debug)]
pub(crate) struct Exchangeable(RwLock<Arc<CertifiedKey>>);

impl Exchangeable {
    pub(crate) fn new(pair: Arc<CertifiedKey>) -> Self {
        Self(RwLock::new(pair))
    }

    pub(crate) fn exchange(&self, pair: Arc<CertifiedKey>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = pair;
    }
}

impl ResolvesServerCert for Exchangeable {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let pair = self.0.read().unwrap_or_else(PoisonError::into_inner);
        Some(Arc::clone(&pair))
    }
}
