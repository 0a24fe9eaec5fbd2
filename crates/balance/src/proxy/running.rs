use std::fmt;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};

use super::access_log::{AccessLog, LogThread};
use super::active_config::ActiveConfig;
use super::certificate::Certificate;
use super::config::{Config, ConfigError, LogTarget};
use super::proxy_state::ProxyState;
use super::reloader::Reloader;
use super::services::{ListeningSocket, Services};
use super::sockets::Sockets;
use super::start_error::ProxyStartError;
use super::tls;

/// How long the access log may take at the end to write the lines that wait.
const LAST_LINES: Duration = Duration::from_secs(2);

/// How long a connection that was just accepted may take until its request is counted.
const LAST_ACCEPTED: Duration = Duration::from_millis(20);

/// A proxy that runs on the current tokio runtime, from start to stop.
pub struct Running {
    proxy: Arc<ProxyState>,
    reloader: Arc<Reloader>,
    watcher: AbortHandle,
    stop: watch::Sender<bool>,
    services: JoinSet<()>,
    log_thread: LogThread,
    addresses: Vec<SocketAddr>,
    admin: Option<SocketAddr>,
    metrics: Option<SocketAddr>,
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running")
            .field("addresses", &self.addresses)
            .field("admin", &self.admin)
            .field("metrics", &self.metrics)
            .finish_non_exhaustive()
    }
}

impl Running {
    /// Starts the proxy that the file describes, and reloads the file whenever it changes.
    ///
    /// # Errors
    ///
    /// If the configuration cannot be used, or an address or the access log cannot be opened.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub fn start(path: &Path) -> Result<Self, ProxyStartError> {
        let config = Config::read(path).map_err(ProxyStartError::Config)?;
        let mut sockets = Sockets::new();
        let mut open = |address: SocketAddr| {
            sockets
                .open(address)
                .map_err(|error| ProxyStartError::Address(address, error))
        };
        let addresses = config.listeners.iter();
        let addresses = addresses
            .map(|listener| open(listener.address))
            .collect::<Result<Vec<_>, _>>()?;
        let admin = config.admin.map(&mut open).transpose()?;
        let metrics = config.metrics.map(&mut open).transpose()?;
        let certificates = certificates(&config)?;
        let threads = config.threads.unwrap_or_else(cores);
        let (log, log_thread) =
            AccessLog::open(&config.access_log).map_err(ProxyStartError::Log)?;

        let active = ActiveConfig::install(config.clone(), None).map_err(ProxyStartError::Other)?;
        let proxy = Arc::new(ProxyState::new(active, log));
        let (stop, stopped) = watch::channel(false);
        let mut services = Services::new(Arc::clone(&proxy), sockets, stopped);
        let listening: Vec<_> = config
            .listeners
            .iter()
            .zip(addresses.iter().zip(&certificates))
            .map(|(listener, (&address, certificate))| ListeningSocket {
                address,
                http2: listener.http2,
                certificate: certificate.clone(),
            })
            .collect();
        services
            .serve_clients(&listening, threads)
            .map_err(ProxyStartError::Other)?;
        for (address, metrics_only) in [(admin, false), (metrics, true)] {
            if let Some(address) = address {
                services.serve_operators(address, metrics_only);
            }
        }
        let reloader = Reloader::new(path.to_owned(), Arc::clone(&proxy), certificates);
        let reloader = Arc::new(reloader);
        let watcher = tokio::spawn(Arc::clone(&reloader).watch()).abort_handle();
        Ok(Self {
            proxy,
            reloader,
            watcher,
            stop,
            services: services.into_tasks(),
            log_thread,
            addresses,
            admin,
            metrics,
        })
    }

    /// Where clients connect, in the order of the configuration.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// The address of the admin page.
    pub fn admin(&self) -> Option<SocketAddr> {
        self.admin
    }

    /// The address of the metrics, if they have one of their own.
    pub fn metrics(&self) -> Option<SocketAddr> {
        self.metrics
    }

    /// Whether the access log goes to standard output.
    pub fn logs_to_stdout(&self) -> bool {
        self.proxy.active().config.access_log == LogTarget::Stdout
    }

    /// How many requests are in flight.
    pub fn in_flight(&self) -> usize {
        self.proxy.in_flight()
    }

    /// Reads the configuration and opens the access log again.
    ///
    /// # Errors
    ///
    /// If the configuration cannot be used; the old one then stays in use.
    pub fn reload(&self) -> Result<(), ConfigError> {
        self.proxy.log.reopen();
        self.reloader.reload()
    }

    /// Stops: accepts no connections, gives the requests in flight the grace period to finish, and
    /// returns the number of those that did not.
    pub async fn stop(mut self) -> usize {
        self.watcher.abort();
        let grace = self.proxy.active().config.grace;
        let _ = self.stop.send(true);
        while self.services.join_next().await.is_some() {}
        tokio::time::sleep(LAST_ACCEPTED).await;
        let _ = tokio::time::timeout(grace, self.proxy.drained()).await;
        let unfinished = self.proxy.in_flight();
        let (proxy, log_thread) = (self.proxy, self.log_thread);
        let closing = tokio::task::spawn_blocking(move || proxy.log.close(log_thread));
        // A reader that does not read our output does not keep the proxy from ending.
        let _ = tokio::time::timeout(LAST_LINES, closing).await;
        unfinished
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The certificate of each listener, if it has one.
fn certificates(config: &Config) -> Result<Vec<Option<Arc<Certificate>>>, ProxyStartError> {
    let listeners = config.listeners.iter();
    listeners
        .map(|listener| {
            let pair = listener.tls.as_ref().map(tls::load).transpose();
            let pair = pair.map_err(|bad| ProxyStartError::Other(bad.into_problem()))?;
            Ok(pair.map(|pair| Arc::new(Certificate::new(pair))))
        })
        .collect()
}
