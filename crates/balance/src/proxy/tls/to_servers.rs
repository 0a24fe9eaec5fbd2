//! TLS to servers.

use std::fmt;
use std::sync::Arc;

use rustls_pki_types::{ServerName, TrustAnchor};
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::sign::{CertifiedKey, SingleCertAndKey};

use super::authorities::{authorities, system_authorities};
use super::certificate::{self, BadFile};
use super::provider;
use super::unverified::Unverified;
use crate::proxy::config::{Protocol, UpstreamTls};

/// How servers are connected to by TLS.
pub(crate) struct Secured {
    pub(crate) config: Arc<ClientConfig>,
    /// The name that their certificates must have.
    pub(crate) name: ServerName<'static>,
    /// The authorities that sign them, unless certificates are not verified.
    trusted: Option<Vec<TrustAnchor<'static>>>,
    /// What the proxy shows to servers that ask who it is.
    shown: Option<Arc<CertifiedKey>>,
}

impl Secured {
    /// Whether connections that were made as `other` says can stay in use. Files may have the same
    /// name and hold something else.
    pub(crate) fn connects_like(&self, other: &Self) -> bool {
        let same_certificate = match (&self.shown, &other.shown) {
            (Some(one), Some(other)) => one.cert == other.cert,
            (None, None) => true,
            _ => false,
        };
        self.name == other.name && self.trusted == other.trusted && same_certificate
    }

    /// Whether this certificate is shown to servers.
    pub(crate) fn shows(&self, pair: &CertifiedKey) -> bool {
        self.shown
            .as_ref()
            .is_some_and(|shown| shown.cert == pair.cert)
    }
}

impl fmt::Debug for Secured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Secured").field(&self.name).finish()
    }
}

/// TLS to servers that speak `protocol`.
pub(crate) fn to_servers(tls: &UpstreamTls, protocol: Protocol) -> Result<Secured, String> {
    let name = ServerName::try_from(tls.name.clone());
    let name = name.map_err(|_| format!("'{}' is not the name of a server", tls.name))?;
    let shown = tls.certificate.as_ref().map(certificate::load).transpose();
    let shown = shown.map_err(BadFile::into_problem)?;
    let builder = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .expect("the provider has the default versions");
    let mut trusted = None;
    let builder = if tls.verify {
        let roots = match &tls.ca {
            Some(path) => authorities(path)?,
            None => system_authorities()?,
        };
        trusted = Some(roots.roots.clone());
        builder.with_root_certificates(roots)
    } else {
        builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Unverified::new(provider())))
    };
    let mut config = match &shown {
        Some(pair) => {
            let shown = SingleCertAndKey::from(Arc::clone(pair));
            builder.with_client_cert_resolver(Arc::new(shown))
        }
        None => builder.with_no_client_auth(),
    };
    let spoken: &[u8] = match protocol {
        Protocol::Http1 => b"http/1.1",
        Protocol::Http2 => b"h2",
    };
    config.alpn_protocols = vec![spoken.to_vec()];
    Ok(Secured {
        config: Arc::new(config),
        name,
        trusted,
        shown,
    })
}
