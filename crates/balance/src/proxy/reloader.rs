//! Reloads: a new configuration replaces the old one while requests are in flight.
//!
//! If anything in the new file is wrong, or cannot change while the proxy runs, the old
//! configuration stays in use as a whole, and the log and the metrics say so.

use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::active_config::ActiveConfig;
use super::certificate::Certificate;
use super::config::{Config, ConfigError, Listener};
use super::proxy_state::ProxyState;
use super::shown_path::shown;
use super::tls;
use crate::poison::unpoisoned;

/// How often the file is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// Reloads the configuration of a proxy.
pub(crate) struct Reloader {
    path: PathBuf,
    proxy: Arc<ProxyState>,
    /// The certificate of each listener, if it has one.
    certificates: Vec<Option<Arc<Certificate>>>,
    /// The file when it was last looked at. The lock also keeps reloads apart.
    seen: Mutex<Option<Vec<u8>>>,
}

impl Reloader {
    pub(crate) fn new(
        path: PathBuf,
        proxy: Arc<ProxyState>,
        certificates: Vec<Option<Arc<Certificate>>>,
    ) -> Self {
        let seen = Mutex::new(std::fs::read(&path).ok());
        Self {
            path,
            proxy,
            certificates,
            seen,
        }
    }

    /// Looks at the file at intervals and reloads it when it has changed.
    pub(crate) async fn watch(self: Arc<Self>) {
        loop {
            tokio::time::sleep(LOOK).await;
            // Reading files and looking up hosts may block; requests must not wait for that.
            let reloader = Arc::clone(&self);
            let _ = tokio::task::spawn_blocking(move || reloader.look()).await;
        }
    }

    fn look(&self) {
        let now = std::fs::read(&self.path).ok();
        // A file that is not there is being replaced.
        let changed = now.is_some() && now != *unpoisoned(self.seen.lock());
        if changed {
            // An error has been logged.
            let _ = self.reload();
        }
    }

    /// Reloads the file, whether it has changed or not: certificates may have.
    pub(crate) fn reload(&self) -> Result<(), ConfigError> {
        let mut seen = unpoisoned(self.seen.lock());
        *seen = std::fs::read(&self.path).ok();
        // Even if a new configuration makes our code panic, the old one stays in use.
        let result = panic::catch_unwind(AssertUnwindSafe(|| self.try_reload()))
            .unwrap_or_else(|_| Err(ConfigError::about("reading it panicked".to_owned())));
        self.proxy.counts.reloaded(result.is_ok());
        match &result {
            Ok(()) => log::info!("configuration reloaded from {}", self.path.display()),
            Err(error) => {
                log::error!("reload refused, the old configuration stays in use: {error}");
            }
        }
        result
    }

    fn try_reload(&self) -> Result<(), ConfigError> {
        let config = Config::read(&self.path)?;
        let before = self.proxy.active();
        if let Some(field) = fixed(&before.config, &config) {
            return Err(self.refuse(&format!(
                "{field}: this cannot change while the proxy runs: restart it, or put it back"
            )));
        }
        let mut pairs = Vec::new();
        for (certificate, listener) in self.certificates.iter().zip(&config.listeners) {
            if let (Some(certificate), Some(files)) = (certificate, &listener.tls) {
                let pair = tls::load(files).map_err(|bad| {
                    let problem = bad.into_problem();
                    self.refuse(&format!("listeners.tls: {problem}"))
                })?;
                pairs.push((certificate, pair));
            }
        }
        let active = ActiveConfig::install(config, Some(&before));
        let active = Arc::new(active.map_err(|problem| self.refuse(&problem))?);
        for (certificate, pair) in pairs {
            certificate.replace(pair);
        }
        self.proxy.replace(Arc::clone(&active));
        active.take_over(&before);
        Ok(())
    }

    fn refuse(&self, problem: &str) -> ConfigError {
        ConfigError::about(format!("{}: {problem}", shown(&self.path)))
    }
}

/// The first field that differs though it cannot change while the proxy runs.
fn fixed(before: &Config, now: &Config) -> Option<&'static str> {
    let socket = |listener: &Listener| (listener.address, listener.http2, listener.tls.is_some());
    let sockets = |config: &Config| config.listeners.iter().map(socket).collect::<Vec<_>>();
    [
        ("listeners", sockets(before) != sockets(now)),
        ("admin.address", before.admin != now.admin),
        ("metrics.address", before.metrics != now.metrics),
        ("threads", before.threads != now.threads),
        ("access_log", before.access_log != now.access_log),
    ]
    .into_iter()
    .find_map(|(field, differs)| differs.then_some(field))
}
