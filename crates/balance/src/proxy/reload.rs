//! Reloads: a new configuration takes the place of the old one while requests go on.
//!
//! All or nothing: if anything in the new file is wrong, or cannot be changed while the proxy runs, the
//! old configuration stays at work, and the log and the metrics say so.

use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::config::{Config, ConfigError, Listener};
use super::shared::Shared;
use super::table::Table;
use super::tls::{self, Exchangeable};

/// How often the file is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// Whoever reloads.
pub(crate) struct Reloader {
    path: PathBuf,
    shared: Arc<Shared>,
    /// For each listener with TLS its place in the list and its certificate.
    certificates: Vec<(usize, Arc<Exchangeable>)>,
    /// What the file said when it was last looked at; one reload at a time.
    seen: Mutex<Option<Vec<u8>>>,
}

impl Reloader {
    pub(crate) fn new(
        path: PathBuf,
        shared: Arc<Shared>,
        certificates: Vec<(usize, Arc<Exchangeable>)>,
    ) -> Self {
        let seen = Mutex::new(std::fs::read(&path).ok());
        Self {
            path,
            shared,
            certificates,
            seen,
        }
    }

    /// Looks at the file once in a while and reloads it when it has changed.
    pub(crate) async fn watch(self: Arc<Self>) {
        loop {
            tokio::time::sleep(LOOK).await;
            // Disks and names of hosts can take their time; requests do not wait for them.
            let here = Arc::clone(&self);
            let _ = tokio::task::spawn_blocking(move || here.look()).await;
        }
    }

    fn look(&self) {
        let now = std::fs::read(&self.path).ok();
        // A file that is not there is being replaced.
        let changed = now.is_some() && now != *self.seen();
        if changed {
            // What is wrong with it has been logged.
            let _ = self.reload();
        }
    }

    /// Reloads the file, whether it has changed or not: certificates may have.
    pub(crate) fn reload(&self) -> Result<(), ConfigError> {
        let mut seen = self.seen();
        *seen = std::fs::read(&self.path).ok();
        // Whatever goes wrong with a new configuration, the old one stays at work.
        let result = panic::catch_unwind(AssertUnwindSafe(|| self.try_reload()))
            .unwrap_or_else(|_| Err(ConfigError::about("reading it panicked".to_owned())));
        self.shared.counts.reloaded(result.is_ok());
        match &result {
            Ok(()) => log::info!("configuration reloaded from {}", self.path.display()),
            Err(error) => {
                log::error!("reload refused, the old configuration stays at work: {error}");
            }
        }
        result
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Option<Vec<u8>>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn try_reload(&self) -> Result<(), ConfigError> {
        let config = Config::read(&self.path)?;
        let before = self.shared.table();
        if let Some(field) = fixed(&before.config, &config) {
            return Err(ConfigError::about(format!(
                "{}: {field}: this cannot change while the proxy runs: start it anew, or put it back",
                shown(&self.path)
            )));
        }
        let mut pairs = Vec::new();
        for (place, certificate) in &self.certificates {
            if let Some(files) = &config.listeners[*place].tls {
                let pair = tls::load(files).map_err(|problem| {
                    let (tls::Problem::Certificate(problem) | tls::Problem::Key(problem)) = problem;
                    ConfigError::about(format!("{}: listeners.tls: {problem}", shown(&self.path)))
                })?;
                pairs.push((certificate, pair));
            }
        }
        let table = Table::install(config, Some(&before))
            .map_err(|problem| ConfigError::about(format!("{}: {problem}", shown(&self.path))))?;
        for (certificate, pair) in pairs {
            certificate.exchange(pair);
        }
        self.shared.replace(table);
        let now = self.shared.table();
        now.settle();
        now.take_over(&before);
        Ok(())
    }
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().escape_debug().to_string()
}

/// The first field that differs though it cannot be changed while the proxy runs.
fn fixed(before: &Config, now: &Config) -> Option<&'static str> {
    let front = |listener: &Listener| (listener.address, listener.http2, listener.tls.is_some());
    let listeners = |config: &Config| config.listeners.iter().map(front).collect::<Vec<_>>();
    [
        ("listeners", listeners(before) != listeners(now)),
        ("admin.address", before.admin != now.admin),
        ("metrics.address", before.metrics != now.metrics),
        ("threads", before.threads != now.threads),
        ("access_log", before.access_log != now.access_log),
    ]
    .into_iter()
    .find_map(|(field, differs)| differs.then_some(field))
}
