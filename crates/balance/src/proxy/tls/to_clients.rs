//! TLS to the clients of a listener, and the sessions that they began.
//!
//! A client that resumes a session is shown no certificate: it goes on to trust the one that it has
//! seen. So the sessions end with the certificate. Otherwise clients would keep one that has been
//! replaced, because its key was stolen for example, for as long as they return. Each certificate
//! has sessions of its own, so that they end with no other one, and so that a session that began
//! under one cannot be resumed under a name for which another is shown now.
//!
//! A session is stored when its handshake ends, which may be after a reload. So certificate and
//! sessions are one, and each handshake takes both at its beginning: what is then stored beside a
//! certificate that has been replaced is never found.
//!
//! A client that resumes a session does not show its own certificate either, and each session that
//! it resumes begins the next. Where clients show certificates there are no sessions: every
//! handshake verifies that the certificate has not expired and that its authority is still trusted.

use std::sync::{Arc, RwLock};

use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::server::{
    ClientHello, NoServerSessionStorage, ServerSessionMemoryCache, WebPkiClientVerifier,
};
use tokio_rustls::rustls::sign::{CertifiedKey, SingleCertAndKey};

use super::credentials::{Clients, Credentials};
use super::provider;
use crate::poison::unpoisoned;

/// How many sessions are kept for clients that return, for each certificate.
const SESSIONS: usize = 256;

/// TLS to the clients of a listener, whose credentials can be replaced while it is in use.
#[derive(Debug)]
pub(crate) struct ToClients {
    /// Whether clients may choose HTTP/2.
    http2: bool,
    in_use: RwLock<InUse>,
}

#[derive(Debug)]
struct InUse {
    credentials: Credentials,
    /// TLS with each certificate, and with the sessions that began under it.
    tls: Vec<Arc<ServerConfig>>,
}

/// What a handshake goes by.
#[derive(Debug)]
pub(crate) struct Terms {
    pub(crate) tls: Arc<ServerConfig>,
    /// Whether servers are told about the client's certificate.
    pub(crate) forward: bool,
}

impl ToClients {
    pub(crate) fn new(credentials: Credentials, http2: bool) -> Self {
        let clients = credentials.clients.as_ref();
        let pairs = credentials.pairs.iter();
        let tls = pairs.map(|pair| with(pair, clients, http2)).collect();
        let in_use = RwLock::new(InUse { credentials, tls });
        Self { http2, in_use }
    }

    /// Replaces the credentials. The sessions of certificates that are the same stay.
    pub(crate) fn replace(&self, credentials: Credentials) {
        let mut in_use = unpoisoned(self.in_use.write());
        let same_clients = match (&in_use.credentials.clients, &credentials.clients) {
            (Some(before), Some(now)) => now.verifies_like(before),
            (None, None) => true,
            _ => false,
        };
        let before = |pair: &CertifiedKey| {
            let place = in_use.credentials.place(pair).filter(|_| same_clients)?;
            in_use.tls.get(place).map(Arc::clone)
        };
        let clients = credentials.clients.as_ref();
        let pairs = credentials.pairs.iter();
        let tls = pairs.map(|pair| before(pair).unwrap_or_else(|| with(pair, clients, self.http2)));
        let tls = tls.collect();
        *in_use = InUse { credentials, tls };
    }

    /// Whether this certificate is in use.
    pub(crate) fn has(&self, pair: &CertifiedKey) -> bool {
        let in_use = unpoisoned(self.in_use.read());
        in_use.credentials.place(pair).is_some()
    }

    /// Keeps the credentials that are in use from being replaced.
    #[cfg(test)]
    pub(crate) fn hold(&self) -> impl Sized + '_ {
        unpoisoned(self.in_use.read())
    }

    /// The terms for a handshake that begins now with what the client says.
    pub(crate) fn terms(&self, hello: &ClientHello<'_>) -> Terms {
        let in_use = unpoisoned(self.in_use.read());
        let clients = in_use.credentials.clients.as_ref();
        Terms {
            tls: Arc::clone(&in_use.tls[in_use.credentials.choose(hello)]),
            forward: clients.is_some_and(|clients| clients.settings.forward),
        }
    }
}

/// TLS with this certificate, and with sessions of its own.
fn with(pair: &Arc<CertifiedKey>, clients: Option<&Clients>, http2: bool) -> Arc<ServerConfig> {
    let builder = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .expect("the provider has the default versions");
    let builder = match clients {
        Some(clients) => {
            let authorities = Arc::clone(&clients.authorities);
            let verifier = WebPkiClientVerifier::builder_with_provider(authorities, provider());
            let verifier = if clients.settings.required {
                verifier
            } else {
                verifier.allow_unauthenticated()
            };
            let verifier = verifier.build().expect("there is an authority");
            builder.with_client_cert_verifier(verifier)
        }
        None => builder.with_no_client_auth(),
    };
    let shown = SingleCertAndKey::from(Arc::clone(pair));
    let mut config = builder.with_cert_resolver(Arc::new(shown));
    if clients.is_some() {
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
    } else {
        config.session_storage = ServerSessionMemoryCache::new(SESSIONS);
    }
    let protocols: &[&[u8]] = if http2 {
        &[b"h2", b"http/1.1"]
    } else {
        &[b"http/1.1"]
    };
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    Arc::new(config)
}
