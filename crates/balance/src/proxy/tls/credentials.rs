//! All that the files of a listener say.

use std::sync::Arc;

use tokio_rustls::rustls::server::ClientHello;
use tokio_rustls::rustls::sign::CertifiedKey;

use super::by_name::{ByName, NotShown};
use super::certificate::{self, BadFile};
use crate::proxy::config::ListenerTls;

/// The certificates that clients are shown.
#[derive(Debug)]
pub(crate) struct Credentials {
    pub(super) pairs: Vec<Arc<CertifiedKey>>,
    by_name: ByName,
}

/// The field whose file is bad, by the place of the certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadField {
    Certificate(usize),
    Key(usize),
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
        Ok(Self { pairs, by_name })
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
