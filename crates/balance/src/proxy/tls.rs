//! Reads certificates and keys from files.

use std::path::Path;
use std::sync::Arc;

use pingora_core::protocols::tls::CaType;
use pingora_core::utils::tls::{WrappedX509, parse_x509};
use pingora_rustls::sign::CertifiedKey;
use pingora_rustls::{CryptoProvider, RootCertStore};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};

use super::config::ListenerTls;
use super::shown_path::shown;

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
    let path = &files.key;
    let key = PrivateKeyDer::from_pem_file(path).map_err(|error| {
        BadFile::Key(format!(
            "cannot read a private key from '{}': {error}",
            shown(path)
        ))
    })?;
    pingora_rustls::install_default_crypto_provider();
    let provider = CryptoProvider::get_default().expect("it was just installed");
    match CertifiedKey::from_der(chain, key, provider) {
        Ok(pair) => Ok(Arc::new(pair)),
        Err(error) => Err(BadFile::Key(format!(
            "the key in '{}' cannot be used with that certificate: {error}",
            shown(path)
        ))),
    }
}

/// The certificates of the authorities that sign those of servers.
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
