//! What is not good, and no reason to refuse the configuration.

use super::Config;
use crate::proxy::tls::{self, Credentials};

/// Certificates that have expired: the proxy starts with them, so that other listeners serve.
pub(super) fn warnings(config: &Config) -> Vec<String> {
    let mut found = Vec::new();
    for tls in config.listeners.iter().filter_map(|it| it.tls.as_ref()) {
        if let Ok(credentials) = Credentials::load(tls) {
            found.extend(credentials.expired(tls, |_| false));
        }
    }
    for tls in config.groups.iter().filter_map(|it| it.tls.as_ref()) {
        if let Some(files) = &tls.certificate
            && let Ok(pair) = tls::load(files)
            && let Some(problem) = tls::expired(&pair, files)
        {
            found.push(format!("groups.tls.certificate: {problem}"));
        }
    }
    found
}
