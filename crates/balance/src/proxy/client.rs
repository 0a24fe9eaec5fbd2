use std::sync::Arc;

use http::HeaderValue;

use super::client_address::ClientAddress;
use super::connections::{StreamProgress, Turn};
use super::tls::ClientCertificate;

/// The client of a request.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    pub(crate) address: ClientAddress,
    /// The address as servers are told it, made once for all requests of a connection.
    pub(crate) forwarded_for: Option<HeaderValue>,
    /// Whether its connection is encrypted.
    pub(crate) encrypted: bool,
    /// The certificate that it has shown, if servers are told of it.
    pub(crate) certificate: Option<Arc<ClientCertificate>>,
    pub(crate) protocol: Protocol,
}

/// What a client speaks, and what its connection is to know about the request.
#[derive(Clone, Debug)]
pub(crate) enum Protocol {
    Http1(Arc<Turn>),
    Http2(Arc<StreamProgress>),
}
