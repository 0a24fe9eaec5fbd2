use std::path::{Path, PathBuf};

use rustls_pki_types::ServerName;

use super::certificate_files::{CertificateFiles, RawFiles};
use super::raw::RawUpstreamTls;
use super::source::{ConfigError, Source};
use crate::proxy::tls::{self, BadFile};

/// TLS to servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpstreamTls {
    /// The name that their certificates must have.
    pub name: String,
    /// The file with the certificates of the authorities; those of the system if none.
    pub ca: Option<PathBuf>,
    /// Whether certificates are verified.
    pub verify: bool,
    /// The certificate that is shown to servers that ask for one.
    pub certificate: Option<CertificateFiles>,
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
        certificate: certificate(source, folder, raw)?,
    })
}

fn certificate(
    source: &Source<'_>,
    folder: &Path,
    raw: &RawUpstreamTls,
) -> Result<Option<CertificateFiles>, ConfigError> {
    let Some(either) = raw.certificate.as_ref().or(raw.key.as_ref()) else {
        return Ok(None);
    };
    let raw = RawFiles {
        table: "groups.tls",
        at: either.span().start,
        certificate: raw.certificate.as_ref(),
        key: raw.key.as_ref(),
    };
    let files = raw.both(source, folder)?;
    match tls::load(&files) {
        Ok(_) => Ok(Some(files)),
        Err(BadFile::Certificate(problem)) => Err(raw.bad_certificate(source, &problem)),
        Err(BadFile::Key(problem)) => Err(raw.bad_key(source, &problem)),
    }
}
