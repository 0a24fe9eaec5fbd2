//! Reloads: a new configuration replaces the old one while requests are in flight.
//!
//! If anything in the new file is wrong, or cannot change while the proxy runs, the old
//! configuration stays in use as a whole, and the log and the metrics say so.

use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::active_config::ActiveConfig;
use super::config::{Config, ConfigError, Listener};
use super::proxy_state::ProxyState;
use super::shown_path::shown;
use super::tls::{self, Credentials, ToClients};
use crate::poison::unpoisoned;

/// How often the file is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// Reloads the configuration of a proxy.
pub(crate) struct Reloader {
    path: PathBuf,
    proxy: Arc<ProxyState>,
    /// TLS at each listener, if it has it.
    tls: Vec<Option<Arc<ToClients>>>,
    /// The file as it was last loaded or refused. The lock also keeps reloads apart.
    seen: Mutex<Option<Vec<u8>>>,
    /// The file when it was last looked at.
    looked_at: Mutex<Option<Vec<u8>>>,
}

impl Reloader {
    pub(crate) fn new(
        path: PathBuf,
        proxy: Arc<ProxyState>,
        tls: Vec<Option<Arc<ToClients>>>,
    ) -> Self {
        let seen = std::fs::read(&path).ok();
        let looked_at = Mutex::new(seen.clone());
        let seen = Mutex::new(seen);
        Self {
            path,
            proxy,
            tls,
            seen,
            looked_at,
        }
    }

    /// Looks at the file at intervals and reloads it when it has changed, and has not changed since
    /// the last look.
    pub(crate) async fn watch(self: Arc<Self>) {
        loop {
            tokio::time::sleep(LOOK).await;
            // Reading files and looking up hosts may block; requests must not wait for that.
            let reloader = Arc::clone(&self);
            let _ = tokio::task::spawn_blocking(move || reloader.look()).await;
        }
    }

    fn look(&self) {
        if !self.proxy.active().config.watch {
            return;
        }
        let now = std::fs::read(&self.path).ok();
        let before = std::mem::replace(&mut *unpoisoned(self.looked_at.lock()), now.clone());
        // A file that is not there is being replaced, and a file that was another at the last look
        // may still be being written.
        let changed = now.is_some() && now != *unpoisoned(self.seen.lock());
        if changed && now == before {
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
        let mut replacements = Vec::new();
        for (tls, listener) in self.tls.iter().zip(&config.listeners) {
            if let (Some(tls), Some(files)) = (tls, &listener.tls) {
                let credentials = Credentials::load(files)
                    .map_err(|(_, problem)| self.refuse(&format!("listeners.tls: {problem}")))?;
                // That one in use has expired is no reason to refuse the rest of the file.
                let expired = credentials.expired(files, |pair| tls.has(pair));
                if let Some(problem) = expired.first() {
                    return Err(self.refuse(problem));
                }
                replacements.push((tls, credentials));
            }
        }
        self.refuse_expired_to_servers(&before, &config)?;
        let active = ActiveConfig::install(config, Some(&before));
        let active = Arc::new(active.map_err(|problem| self.refuse(&problem))?);
        // Clients cannot say what their certificate is any more, before servers are told of one.
        self.proxy.replace(Arc::clone(&active));
        for (tls, credentials) in replacements {
            tls.replace(credentials);
        }
        active.take_over(&before);
        Ok(())
    }

    /// Refuses certificates for servers that have expired and are not in use.
    fn refuse_expired_to_servers(
        &self,
        before: &ActiveConfig,
        config: &Config,
    ) -> Result<(), ConfigError> {
        for group in &config.groups {
            let Some(files) = group.tls.as_ref().and_then(|tls| tls.certificate.as_ref()) else {
                continue;
            };
            let refuse = |problem: &str| self.refuse(&format!("groups.tls.certificate: {problem}"));
            let pair = tls::load(files).map_err(|bad| refuse(&bad.into_problem()))?;
            let before = before.group(&group.name);
            let in_use = before.is_some_and(|before| before.shows(&pair));
            if let Some(problem) = tls::expired(&pair, files).filter(|_| !in_use) {
                return Err(refuse(&problem));
            }
        }
        Ok(())
    }

    fn refuse(&self, problem: &str) -> ConfigError {
        ConfigError::about(format!("{}: {problem}", shown(&self.path)))
    }
}

/// The first field that differs though it cannot change while the proxy runs.
fn fixed(before: &Config, now: &Config) -> Option<&'static str> {
    let socket = |listener: &Listener| {
        let Listener {
            address,
            mode,
            http2,
            tls,
            proxy_protocol,
        } = listener.clone();
        (address, mode, http2, tls.is_some(), proxy_protocol)
    };
    let sockets = |config: &Config| config.listeners.iter().map(socket).collect::<Vec<_>>();
    [
        ("listeners", sockets(before) != sockets(now)),
        ("admin.address", before.admin != now.admin),
        ("metrics.address", before.metrics != now.metrics),
        ("threads", before.threads != now.threads),
        ("upgrade", before.upgrade != now.upgrade),
        ("access_log", before.access_log != now.access_log),
    ]
    .into_iter()
    .find_map(|(field, differs)| differs.then_some(field))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::thread;
    use std::time::Instant;

    use super::*;
    use crate::proxy::access_log::AccessLog;

    const HALF: &str = "[[listeners]]\naddress = \"127.0.0.1:8080\"\n[[groups]]\nname = \"all\"\n\
                        [[groups.servers]]\naddress = \"127.0.0.1:8001\"\n";

    fn reloader(path: &Path) -> Reloader {
        let config = Config::read(path).unwrap();
        let active = ActiveConfig::install(config, None).unwrap();
        let tls = active.config.listeners.iter().map(|listener| {
            let credentials = Credentials::load(listener.tls.as_ref()?).unwrap();
            Some(Arc::new(ToClients::new(credentials, listener.http2)))
        });
        let tls = tls.collect();
        let proxy = Arc::new(ProxyState::new(active, AccessLog::default()));
        Reloader::new(path.to_owned(), proxy, tls)
    }

    fn servers(reloader: &Reloader) -> usize {
        reloader.proxy.active().groups[0].servers.len()
    }

    #[test]
    fn a_file_that_is_being_written_is_not_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("proxy.toml");
        let whole = format!("{HALF}[[groups.servers]]\naddress = \"127.0.0.1:8002\"\n");
        std::fs::write(&path, &whole).unwrap();
        let reloader = reloader(&path);
        // It has lost a server, and looks good.
        std::fs::write(&path, HALF).unwrap();
        reloader.look();
        std::fs::write(&path, format!("{whole}# new\n")).unwrap();
        reloader.look();
        assert_eq!(
            (servers(&reloader), reloader.proxy.counts.reloads.get()),
            (2, 0)
        );
        reloader.look();
        assert_eq!(
            (servers(&reloader), reloader.proxy.counts.reloads.get()),
            (2, 1)
        );
        reloader.look();
        assert_eq!(reloader.proxy.counts.reloads.get(), 1);
    }

    #[test]
    fn a_file_that_is_not_watched_is_loaded_when_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("proxy.toml");
        let unwatched = format!("watch = false\n{HALF}");
        std::fs::write(&path, &unwatched).unwrap();
        let reloader = reloader(&path);
        let more = format!("{unwatched}[[groups.servers]]\naddress = \"127.0.0.1:8002\"\n");
        std::fs::write(&path, more).unwrap();
        for _ in 0..3 {
            reloader.look();
        }
        assert_eq!(servers(&reloader), 1);
        reloader.reload().unwrap();
        assert_eq!(servers(&reloader), 2);
    }

    /// Servers that are told of certificates believe what they are told. So clients of every
    /// listener must not be able to say it any more when the first one forwards.
    #[test]
    fn clients_say_nothing_about_certificates_before_servers_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("proxy.toml");
        let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/proxy/certificates");
        let file = |name: &str| files.join(name);
        let forwarding = |forward: bool| {
            let tls = format!(
                "tls = {{ certificate = {:?}, key = {:?}, clients = {{ ca = {:?}, \
                 forward = {forward} }} }}\n[[groups]]",
                file("server.pem"),
                file("server.key"),
                file("clients.pem")
            );
            HALF.replace("[[groups]]", &tls)
        };
        std::fs::write(&path, forwarding(false)).unwrap();
        let reloader = reloader(&path);
        let tls = reloader.tls[0].as_ref().unwrap();
        std::fs::write(&path, forwarding(true)).unwrap();
        thread::scope(|scope| {
            // Until this is dropped, no listener forwards.
            let held = tls.hold();
            let reload = scope.spawn(|| reloader.reload());
            let begun = Instant::now();
            while !reloader.proxy.active().forwards_certificates {
                assert!(!reload.is_finished(), "the reload is refused");
                assert!(begun.elapsed() < Duration::from_secs(60), "it hangs");
                thread::sleep(Duration::from_millis(1));
            }
            drop(held);
            reload.join().unwrap().unwrap();
        });
    }
}
