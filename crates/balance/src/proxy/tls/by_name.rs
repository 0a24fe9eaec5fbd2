//! Which certificate a client is shown, by the name that it asks for (SNI).

use std::collections::HashMap;

use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::server::ClientHello;
use tokio_rustls::rustls::sign::CertifiedKey;
use webpki::EndEntityCert;

use crate::proxy::config::CertificateFiles;
use crate::proxy::shown_path::shown;

/// The places of certificates by their names. A name has several if their keys are of different
/// types.
#[derive(Debug)]
pub(super) struct ByName {
    by_name: HashMap<String, Vec<usize>>,
    /// For clients that ask for no name, or for one that no certificate has: the first certificate,
    /// and those that share its first name.
    others: Vec<usize>,
}

/// The place of a certificate that no client could be shown, and why.
#[derive(Debug)]
pub(super) struct NotShown {
    pub(super) place: usize,
    pub(super) problem: String,
}

impl ByName {
    /// Certificates, and the files that they come from.
    pub(super) fn new<P: AsRef<CertifiedKey>>(
        pairs: &[P],
        files: &[CertificateFiles],
    ) -> Result<Self, NotShown> {
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        let mut others = vec![0];
        for (place, pair) in pairs.iter().enumerate() {
            let pair = pair.as_ref();
            let names = names(pair);
            if place > 0 && names.is_empty() {
                let problem = format!(
                    "the certificate in '{}' has no DNS name that a client could ask for: put it \
                     first, or take one with subject alternative names",
                    shown(&files[place].certificate)
                );
                return Err(NotShown { place, problem });
            }
            for name in names {
                let places = by_name.entry(name.clone()).or_default();
                let type_of = |place: &usize| pairs[*place].as_ref().key.algorithm();
                let same = places.iter().find(|it| type_of(it) == pair.key.algorithm());
                match same {
                    None => places.push(place),
                    // The same name twice in one certificate.
                    Some(earlier) if *earlier == place => {}
                    Some(earlier) => {
                        let problem = format!(
                            "'{name}' is also a name of the certificate in '{}', whose key is of \
                             the same type: remove one of them",
                            shown(&files[*earlier].certificate)
                        );
                        return Err(NotShown { place, problem });
                    }
                }
            }
        }
        let first = pairs.first().map(|pair| names(pair.as_ref()));
        if let Some(places) = first.and_then(|names| by_name.get(names.first()?)) {
            others.clone_from(places);
        }
        Ok(Self { by_name, others })
    }

    /// The place of the certificate for a client that says this. Of several with the same name, the
    /// first that the client can use.
    pub(super) fn choose<P: AsRef<CertifiedKey>>(
        &self,
        pairs: &[P],
        hello: &ClientHello<'_>,
    ) -> usize {
        let places = self.places(hello.server_name());
        let usable = |place: &&usize| can_use(hello, pairs[**place].as_ref());
        let chosen = match places {
            [only] => Some(only),
            several => several.iter().find(usable).or(several.first()),
        };
        chosen.copied().unwrap_or(0)
    }

    /// The certificates with this name: as it is, or else with a wildcard for its first label.
    fn places(&self, name: Option<&str>) -> &[usize] {
        let found = name.and_then(|name| {
            let name = plain(name);
            let wildcard = || Some(format!("*.{}", name.split_once('.')?.1));
            let exact = self.by_name.get(&name);
            exact.or_else(|| self.by_name.get(&wildcard()?))
        });
        found.unwrap_or(&self.others)
    }
}

/// The DNS names of a certificate, wildcards included. Whether the certificate is good for them is
/// the client's to verify.
fn names(pair: &CertifiedKey) -> Vec<String> {
    let parsed = pair.cert.first().map(EndEntityCert::try_from);
    let Some(Ok(parsed)) = parsed else {
        // One that our library does not understand, such as one of version 1, has no such names.
        return Vec::new();
    };
    parsed.valid_dns_names().map(plain).collect()
}

/// A name as it is compared: in lower case, and without the dot of the root.
fn plain(name: &str) -> String {
    let name = name.strip_suffix('.').unwrap_or(name);
    name.to_ascii_lowercase()
}

/// Whether a client that says this can verify the key, and has a cipher suite for it. With TLS 1.2
/// the suite names the type of the key.
fn can_use(hello: &ClientHello<'_>, pair: &CertifiedKey) -> bool {
    let algorithm = pair.key.algorithm();
    let mut suites = ring::DEFAULT_CIPHER_SUITES.iter();
    let has_suite = suites.any(|suite| {
        let offered = hello.cipher_suites().contains(&suite.suite());
        offered && suite.usable_for_signature_algorithm(algorithm)
    });
    let schemes = hello.signature_schemes();
    has_suite && pair.key.choose_scheme(schemes).is_some()
}
