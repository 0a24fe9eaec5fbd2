//! The certificate of a listener, and the sessions that clients began under it.
//!
//! A client that resumes a session is shown no certificate: it goes on to trust the one that it has
//! seen. So the sessions end with the certificate. Otherwise clients would keep one that has been
//! replaced, because its key was stolen for example, for as long as they return.
//!
//! A session is stored when its handshake ends, which may be after a reload. So certificate and
//! sessions are one, and each handshake takes both at its beginning: what is then stored beside a
//! certificate that has been replaced is never found.

use std::sync::{Arc, RwLock};

use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::sign::CertifiedKey;

use super::tls;
use crate::poison::unpoisoned;

/// The certificate of a listener, which can be replaced while the listener is in use.
#[derive(Debug)]
pub(crate) struct Certificate {
    /// Whether clients may choose HTTP/2.
    http2: bool,
    in_use: RwLock<InUse>,
}

#[derive(Debug)]
struct InUse {
    pair: Arc<CertifiedKey>,
    /// TLS with this certificate, and with the sessions that began under it.
    tls: Arc<ServerConfig>,
}

impl InUse {
    fn new(pair: Arc<CertifiedKey>, http2: bool) -> Self {
        let tls = tls::to_clients(Arc::clone(&pair), http2);
        Self { pair, tls }
    }
}

impl Certificate {
    pub(crate) fn new(pair: Arc<CertifiedKey>, http2: bool) -> Self {
        let in_use = RwLock::new(InUse::new(pair, http2));
        Self { http2, in_use }
    }

    /// Replaces the certificate. If it is the same, the sessions stay.
    pub(crate) fn replace(&self, pair: Arc<CertifiedKey>) {
        let mut in_use = unpoisoned(self.in_use.write());
        if in_use.pair.cert != pair.cert {
            *in_use = InUse::new(pair, self.http2);
        }
    }

    /// Whether this is the certificate in use.
    pub(crate) fn is(&self, pair: &CertifiedKey) -> bool {
        unpoisoned(self.in_use.read()).pair.cert == pair.cert
    }

    /// TLS for a handshake that begins now.
    pub(crate) fn tls(&self) -> Arc<ServerConfig> {
        Arc::clone(&unpoisoned(self.in_use.read()).tls)
    }
}
