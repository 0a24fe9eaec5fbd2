use std::sync::{Arc, RwLock};

use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;

use crate::poison::unpoisoned;

/// The certificate of a listener, which can be replaced while the listener is in use.
#[derive(Debug)]
pub(crate) struct Certificate(RwLock<Arc<CertifiedKey>>);

impl Certificate {
    pub(crate) fn new(pair: Arc<CertifiedKey>) -> Self {
        Self(RwLock::new(pair))
    }

    pub(crate) fn replace(&self, pair: Arc<CertifiedKey>) {
        *unpoisoned(self.0.write()) = pair;
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&*unpoisoned(self.0.read())))
    }
}
