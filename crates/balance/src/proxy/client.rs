use std::sync::Arc;

use super::client_address::ClientAddress;
use super::connections::{StreamProgress, Turn};

/// The client of a request.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    pub(crate) address: ClientAddress,
    /// Whether its connection is encrypted.
    pub(crate) encrypted: bool,
    pub(crate) protocol: Protocol,
}

/// What a client speaks, and what its connection is to know about the request.
#[derive(Clone, Debug)]
pub(crate) enum Protocol {
    Http1(Arc<Turn>),
    Http2(Arc<StreamProgress>),
}
