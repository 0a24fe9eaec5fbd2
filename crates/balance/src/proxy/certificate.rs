//! The certificate of a listener, and the sessions that clients began under it.
//!
//! A client that resumes a session is shown no certificate: it goes on to trust the one that it has
//! seen. So the sessions end with the certificate. Otherwise clients would keep one that has been
//! replaced, because its key was stolen for example, for as long as they return.

use std::sync::{Arc, RwLock};

use tokio_rustls::rustls::server::{
    ClientHello, ResolvesServerCert, ServerSessionMemoryCache, StoresServerSessions,
};
use tokio_rustls::rustls::sign::CertifiedKey;

use crate::poison::unpoisoned;

/// How many sessions are kept for clients that return.
const SESSIONS: usize = 256;

/// The certificate of a listener, which can be replaced while the listener is in use.
#[derive(Debug)]
pub(crate) struct Certificate(RwLock<InUse>);

#[derive(Clone, Debug)]
struct InUse {
    pair: Arc<CertifiedKey>,
    sessions: Arc<dyn StoresServerSessions>,
}

impl InUse {
    fn new(pair: Arc<CertifiedKey>) -> Self {
        let sessions = ServerSessionMemoryCache::new(SESSIONS);
        Self { pair, sessions }
    }
}

impl Certificate {
    pub(crate) fn new(pair: Arc<CertifiedKey>) -> Self {
        Self(RwLock::new(InUse::new(pair)))
    }

    /// Replaces the certificate. If it is the same, the sessions stay.
    pub(crate) fn replace(&self, pair: Arc<CertifiedKey>) {
        let mut in_use = unpoisoned(self.0.write());
        if in_use.pair.cert != pair.cert {
            *in_use = InUse::new(pair);
        }
    }

    /// Whether this is the certificate in use.
    pub(crate) fn is(&self, pair: &CertifiedKey) -> bool {
        unpoisoned(self.0.read()).pair.cert == pair.cert
    }

    fn sessions(&self) -> Arc<dyn StoresServerSessions> {
        Arc::clone(&unpoisoned(self.0.read()).sessions)
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&unpoisoned(self.0.read()).pair))
    }
}

impl StoresServerSessions for Certificate {
    fn put(&self, key: Vec<u8>, value: Vec<u8>) -> bool {
        self.sessions().put(key, value)
    }

    fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.sessions().get(key)
    }

    fn take(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.sessions().take(key)
    }

    fn can_cache(&self) -> bool {
        self.sessions().can_cache()
    }
}
