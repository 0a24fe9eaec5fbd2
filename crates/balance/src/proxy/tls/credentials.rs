//! All that the files of a listener say.

use std::sync::Arc;

use tokio_rustls::rustls::RootCertStore;
use tokio_rustls::rustls::server::ClientHello;
use tokio_rustls::rustls::sign::CertifiedKey;

use super::authorities::authorities;
use super::by_name::{ByName, NotShown};
use super::certificate::{self, BadFile};
use crate::proxy::config::{ClientCertificates, ListenerTls};

/// The certificates that clients are shown, and how theirs are verified.
#[derive(Debug)]
pub(crate) struct Credentials {
    pub(super) pairs: Vec<Arc<CertifiedKey>>,
    by_name: ByName,
    pub(super) clients: Option<Clients>,
}

/// How the certificates of clients are verified.
#[derive(Clone, Debug)]
pub(super) struct Clients {
    pub(super) authorities: Arc<RootCertStore>,
    pub(super) settings: ClientCertificates,
}

/// The field whose file is bad, by the place of the certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadField {
    Certificate(usize),
    Key(usize),
    ClientsCa,
}

impl Credentials {
    /// Reads the files of a listener. Otherwise returns which is bad, and what is wrong with it.
    pub(crate) fn load(files: &ListenerTls) -> Result<Self, (BadField, String)> {
        let mut pairs = Vec::new();
        for (place, files) in files.certificates.iter().enumerate() {
            pairs.push(certificate::load(files).map_err(|bad| match bad {
                BadFile::Certificate(problem) => (BadField::Certificate(place), problem),
                BadFile::Key(problem) => (BadField::Key(place), problem),
            })?);
        }
        let by_name = ByName::new(&pairs, &files.certificates)
            .map_err(|NotShown { place, problem }| (BadField::Certificate(place), problem))?;
        let clients = files.clients.as_ref().map(Clients::load).transpose();
        Ok(Self {
            pairs,
            by_name,
            clients: clients.map_err(|problem| (BadField::ClientsCa, problem))?,
        })
    }

    /// The place of the certificate for a client that says this.
    pub(super) fn choose(&self, hello: &ClientHello<'_>) -> usize {
        self.by_name.choose(&self.pairs, hello)
    }

    /// The place of this certificate, if it is one of them.
    pub(super) fn place(&self, pair: &CertifiedKey) -> Option<usize> {
        self.pairs.iter().position(|own| own.cert == pair.cert)
    }

    /// What is wrong with those certificates that have expired, with the field that names them,
    /// unless `is_known` says that this is known.
    pub(crate) fn expired(
        &self,
        files: &ListenerTls,
        is_known: impl Fn(&CertifiedKey) -> bool,
    ) -> Vec<String> {
        let pairs = self.pairs.iter().zip(&files.certificates);
        let news = pairs.filter(|(pair, _)| !is_known(pair));
        let problems = news.filter_map(|(pair, files)| certificate::expired(pair, files));
        let field = match self.pairs.len() {
            1 => "listeners.tls.certificate",
            _ => "listeners.tls.certificates.certificate",
        };
        problems
            .map(|problem| format!("{field}: {problem}"))
            .collect()
    }
}

impl Clients {
    fn load(settings: &ClientCertificates) -> Result<Self, String> {
        Ok(Self {
            authorities: Arc::new(authorities(&settings.ca)?),
            settings: settings.clone(),
        })
    }

    /// Whether clients that `other` has let in would be let in, and the other way round.
    pub(super) fn verifies_like(&self, other: &Self) -> bool {
        self.settings.required == other.settings.required
            && self.authorities.roots == other.authorities.roots
    }
}
