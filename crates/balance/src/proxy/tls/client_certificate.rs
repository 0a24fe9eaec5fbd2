//! The certificate of a client, as servers hear of it (RFC 9440).

use http::{HeaderName, HeaderValue};
use rustls_pki_types::CertificateDer;

use super::base64::base64;

/// The field with the certificate of the client.
pub(crate) const CLIENT_CERT: HeaderName = HeaderName::from_static("client-cert");

/// The field with the certificates above it, which the proxy does not send.
pub(crate) const CLIENT_CERT_CHAIN: HeaderName = HeaderName::from_static("client-cert-chain");

/// A certificate that a client has shown, and that has been verified.
#[derive(Debug)]
pub(crate) struct ClientCertificate(HeaderValue);

impl ClientCertificate {
    pub(crate) fn new(certificate: &CertificateDer<'_>) -> Self {
        let text = format!(":{}:", base64(certificate));
        Self(HeaderValue::try_from(text).expect("base64 is a value"))
    }

    /// The value of [`CLIENT_CERT`]: a byte sequence (RFC 8941, section 3.3.5).
    pub(crate) fn value(&self) -> &HeaderValue {
        &self.0
    }
}
