//! TLS: which certificates are shown and verified, to clients and to servers.
//!
//! | file | what it holds |
//! |---|---|
//! | `certificate` | a certificate and its key, read from files |
//! | `by_name` | which of several certificates a client is shown |
//! | `authorities` | whose certificates are trusted |
//! | `credentials` | all that the files of a listener say |
//! | `to_clients` | the credentials of a listener in use, and the sessions of its clients |
//! | `client_certificate`, `base64` | what servers are told about a client's certificate |
//! | `to_servers`, `unverified` | TLS to servers |

mod authorities;
mod base64;
mod by_name;
mod certificate;
mod client_certificate;
mod credentials;
mod to_clients;
mod to_servers;
mod unverified;

pub(crate) use authorities::{authorities, expired_authority};
pub(crate) use certificate::{BadFile, expired, load};
pub(crate) use client_certificate::{CLIENT_CERT, CLIENT_CERT_CHAIN, ClientCertificate};
pub(crate) use credentials::{BadField, Credentials};
pub(crate) use to_clients::ToClients;
pub(crate) use to_servers::{Secured, to_servers};

use std::sync::Arc;

use tokio_rustls::rustls::crypto::{CryptoProvider, ring};

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}
