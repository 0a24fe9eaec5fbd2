use std::path::{Path, PathBuf};

use rustls_pki_types::ServerName;

use super::raw::RawUpstreamTls;
use super::source::{ConfigError, Source};
use crate::proxy::tls;

/// TLS to servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpstreamTls {
    /// The name that their certificates must have.
    pub name: String,
    /// The file with the certificates of the authorities; those of the system if none.
    pub ca: Option<PathBuf>,
    /// Whether certificates are verified.
    pub verify: bool,
}

pub(super) fn upstream_tls(
    source: &Source<'_>,
    folder: &Path,
    raw: &RawUpstreamTls,
) -> Result<UpstreamTls, ConfigError> {
    let name = raw.name.get_ref().as_str();
    if ServerName::try_from(name).is_err() {
        let problem = format!(
            "'{}' is not a name that can be verified: write the one in the servers' certificates",
            name.escape_debug()
        );
        return Err(source.refuse(raw.name.span().start, "groups.tls.name", problem));
    }
    let ca = raw.ca.as_ref().map(|value| {
        let path = folder.join(value.get_ref());
        match tls::authorities(&path) {
            Ok(_) => Ok(path),
            Err(problem) => Err(source.refuse(value.span().start, "groups.tls.ca", problem)),
        }
    });
    Ok(UpstreamTls {
        name: raw.name.get_ref().clone(),
        ca: ca.transpose()?,
        verify: raw.verify.unwrap_or(true),
    })
}
