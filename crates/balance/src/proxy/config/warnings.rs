//! What is not good, and no reason to refuse the configuration.

use super::Config;
use crate::proxy::tls::{self, Credentials};

/// Certificates that have expired, also those of authorities: the proxy starts with them, so that
/// other listeners serve.
pub(super) fn warnings(config: &Config) -> Vec<String> {
    let mut found = Vec::new();
    for tls in config.listeners.iter().filter_map(|it| it.tls.as_ref()) {
        if let Ok(credentials) = Credentials::load(tls) {
            found.extend(credentials.expired(tls, |_| false));
        }
        if let Some(clients) = &tls.clients
            && let Some(problem) = tls::expired_authority(&clients.ca)
        {
            found.push(format!("listeners.tls.clients.ca: {problem}"));
        }
    }
    for tls in config.groups.iter().filter_map(|it| it.tls.as_ref()) {
        if let Some(problem) = tls.ca.as_deref().and_then(tls::expired_authority) {
            found.push(format!("groups.tls.ca: {problem}"));
        }
        if let Some(files) = &tls.certificate
            && let Ok(pair) = tls::load(files)
            && let Some(problem) = tls::expired(&pair, files)
        {
            found.push(format!("groups.tls.certificate: {problem}"));
        }
    }
    found
}
