use std::path::{Path, PathBuf};

use toml::Spanned;

use super::certificate_files::{CertificateFiles, RawFiles};
use super::raw::{RawClients, RawListenerTls};
use super::source::{ConfigError, Source};
use super::value::word;
use crate::proxy::tls::{BadField, Credentials};

/// TLS to clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListenerTls {
    /// The certificates, of which there is one at least. The first is for clients that ask for no
    /// name, or for an unknown one.
    pub certificates: Vec<CertificateFiles>,
    /// What is asked of clients; none if they show no certificates.
    pub clients: Option<ClientCertificates>,
}

/// The certificates of clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientCertificates {
    /// The file with the certificates of the authorities that sign them.
    pub ca: PathBuf,
    /// Whether clients without one are turned away.
    pub required: bool,
    /// Whether servers are told of them.
    pub forward: bool,
}

pub(super) fn listener_tls(
    source: &Source<'_>,
    folder: &Path,
    raw: &Spanned<RawListenerTls>,
) -> Result<ListenerTls, ConfigError> {
    let raw_files = certificates(source, raw)?;
    let clients = raw.get_ref().clients.as_ref();
    let files: Result<_, _> = raw_files
        .iter()
        .map(|raw| raw.both(source, folder))
        .collect();
    let tls = ListenerTls {
        certificates: files?,
        clients: clients
            .map(|raw| client_certificates(source, folder, raw))
            .transpose()?,
    };
    match Credentials::load(&tls) {
        Ok(_) => Ok(tls),
        Err((BadField::Certificate(place), problem)) => {
            Err(raw_files[place].bad_certificate(source, &problem))
        }
        Err((BadField::Key(place), problem)) => Err(raw_files[place].bad_key(source, &problem)),
        Err((BadField::ClientsCa, problem)) => {
            let ca = clients.and_then(|raw| raw.get_ref().ca.as_ref());
            let at = ca.map_or(0, |value| value.span().start);
            Err(source.refuse(at, "listeners.tls.clients.ca", problem))
        }
    }
}

/// The one certificate, or the list of them.
fn certificates<'a>(
    source: &Source<'_>,
    raw: &'a Spanned<RawListenerTls>,
) -> Result<Vec<RawFiles<'a>>, ConfigError> {
    let tls = raw.get_ref();
    let Some(list) = &tls.certificates else {
        return Ok(vec![RawFiles {
            table: "listeners.tls",
            at: raw.span().start,
            certificate: tls.certificate.as_ref(),
            key: tls.key.as_ref(),
        }]);
    };
    let refuse = |problem| source.refuse(list.span().start, "listeners.tls.certificates", problem);
    if tls.certificate.is_some() || tls.key.is_some() {
        return Err(refuse(
            "there is a certificate beside the list: put it into the list, first if it is for \
             clients that ask for no name",
        ));
    }
    if list.get_ref().is_empty() {
        return Err(refuse(
            "there is none: add one such as { certificate = \"fullchain.pem\", key = \"key.pem\" }",
        ));
    }
    let files = list.get_ref().iter().map(|raw| RawFiles {
        table: "listeners.tls.certificates",
        at: raw.span().start,
        certificate: raw.get_ref().certificate.as_ref(),
        key: raw.get_ref().key.as_ref(),
    });
    Ok(files.collect())
}

fn client_certificates(
    source: &Source<'_>,
    folder: &Path,
    raw: &Spanned<RawClients>,
) -> Result<ClientCertificates, ConfigError> {
    let clients = raw.get_ref();
    let Some(ca) = &clients.ca else {
        let problem = "it is missing: name the file with the authorities that sign clients' \
                       certificates";
        return Err(source.refuse(raw.span().start, "listeners.tls.clients.ca", problem));
    };
    let field = "listeners.tls.clients.certificate";
    let words = [("required", true), ("optional", false)];
    let required = word(source, field, clients.certificate.as_ref(), &words)?;
    Ok(ClientCertificates {
        ca: folder.join(ca.get_ref()),
        required: required.unwrap_or(true),
        forward: clients.forward.unwrap_or(false),
    })
}
