//! A certificate and its key.

use std::path::Path;
use std::sync::Arc;

use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use tokio_rustls::rustls::client::verify_server_cert_signed_by_trust_anchor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::server::ParsedCertificate;
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::{CertificateError, Error, RootCertStore};

use super::provider;
use crate::proxy::config::CertificateFiles;
use crate::proxy::shown_path::shown;

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
pub(crate) fn load(files: &CertificateFiles) -> Result<Arc<CertifiedKey>, BadFile> {
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
pub(crate) fn expired(pair: &CertifiedKey, files: &CertificateFiles) -> Option<String> {
    let problem = || {
        format!(
            "the certificate in '{}' has expired: renew it",
            shown(&files.certificate)
        )
    };
    has_expired(pair.cert.first()?).then(problem)
}

/// Whether the certificate has expired by the clock of this machine. One that our library does not
/// understand has not.
pub(super) fn has_expired(certificate: &CertificateDer<'_>) -> bool {
    let Ok(parsed) = ParsedCertificate::try_from(certificate) else {
        return false;
    };
    // The times are verified first, so it does not matter which authority has signed.
    let verified = verify_server_cert_signed_by_trust_anchor(
        &parsed,
        &RootCertStore::empty(),
        &[],
        UnixTime::now(),
        provider().signature_verification_algorithms.all,
    );
    matches!(
        verified,
        Err(Error::InvalidCertificate(
            CertificateError::Expired | CertificateError::ExpiredContext { .. }
        ))
    )
}

/// The certificates in a file, of which there is one at least.
pub(super) fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
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
