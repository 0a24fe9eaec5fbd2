//! The authorities whose certificates are trusted.

use std::path::Path;

use tokio_rustls::rustls::RootCertStore;

use super::certificate::{certificates, has_expired};
use crate::proxy::shown_path::shown;

/// The authorities in a file.
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

/// What is wrong if an authority in a file has expired. It is trusted all the same: only its name
/// and its key count when what it has signed is verified (RFC 5280, section 6.1.1).
pub(crate) fn expired_authority(path: &Path) -> Option<String> {
    let has_expired = certificates(path).ok()?.iter().any(has_expired);
    let problem = || {
        format!(
            "an authority in '{}' has expired, and is trusted while it is there: remove it",
            shown(path)
        )
    };
    has_expired.then(problem)
}

/// The authorities that the system trusts.
pub(super) fn system_authorities() -> Result<RootCertStore, String> {
    let found = rustls_native_certs::load_native_certs();
    let found = found.map_err(|error| format!("cannot read the system's certificates: {error}"))?;
    let mut store = RootCertStore::empty();
    // Some of the system's may be too old for us. The others are good.
    store.add_parsable_certificates(found);
    Ok(store)
}
