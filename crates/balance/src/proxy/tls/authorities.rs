//! The authorities whose certificates are trusted.

use std::path::Path;

use tokio_rustls::rustls::RootCertStore;

use super::certificate::certificates;
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

/// The authorities that the system trusts.
pub(super) fn system_authorities() -> Result<RootCertStore, String> {
    let found = rustls_native_certs::load_native_certs();
    let found = found.map_err(|error| format!("cannot read the system's certificates: {error}"))?;
    let mut store = RootCertStore::empty();
    // Some of the system's may be too old for us. The others are good.
    store.add_parsable_certificates(found);
    Ok(store)
}
