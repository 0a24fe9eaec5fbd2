//! A proxy from start to stop.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};

use super::access::{Log, Writer};
use super::config::{AccessLog, Config, ConfigError};
use super::listen::{self, Sockets};
use super::reload::Reloader;
use super::shared::Shared;
use super::start_error::StartError;
use super::table::Table;
use super::tls::{self, Exchangeable};

/// How long the access log may take to write what waits, at the end.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// A proxy that runs on the current tokio runtime.
pub struct Running {
    shared: Arc<Shared>,
    reloader: Arc<Reloader>,
    watcher: AbortHandle,
    stop: watch::Sender<bool>,
    services: JoinSet<()>,
    writer: Writer,
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
    /// Starts the proxy that the file describes, and looks at the file for changes from then on.
    ///
    /// # Errors
    ///
    /// If the configuration is not good, or an address or the log cannot be opened.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub fn start(path: &Path) -> Result<Self, StartError> {
        let config = Config::read(path).map_err(StartError::Config)?;
        let mut sockets = Sockets::new();
        let mut open = |address: SocketAddr| {
            sockets
                .open(address)
                .map_err(|error| StartError::Address(address, error))
        };
        let addresses = config
            .listeners
            .iter()
            .map(|listener| open(listener.address))
            .collect::<Result<Vec<_>, _>>()?;
        let admin = config.admin.map(&mut open).transpose()?;
        let metrics = config.metrics.map(&mut open).transpose()?;
        let certificates = certificates(&config)?;
        let threads = config.threads.unwrap_or_else(cores);
        let (log, writer) = Log::open(&config.access_log).map_err(StartError::Log)?;

        let table = Table::install(config.clone(), None).map_err(StartError::Other)?;
        let shared = Arc::new(Shared::new(table, log));
        let sockets = sockets.share();
        let (stop, stopped) = watch::channel(false);
        let mut services = JoinSet::new();
        let listeners: Vec<_> = config
            .listeners
            .iter()
            .zip(&addresses)
            .enumerate()
            .map(|(place, (listener, address))| {
                let certificate = certificates.iter().find(|(of, _)| *of == place);
                let certificate = certificate.map(|(_, certificate)| Arc::clone(certificate));
                (*address, listener, certificate)
            })
            .collect();
        let tasks = &mut services;
        listen::clients(&shared, &listeners, threads, &sockets, &stopped, tasks)
            .map_err(StartError::Other)?;
        for (address, metrics_only) in [(admin, false), (metrics, true)] {
            if let Some(address) = address {
                listen::operators(&shared, address, metrics_only, &sockets, &stopped, tasks);
            }
        }
        let reloader = Arc::new(Reloader::new(
            path.to_owned(),
            Arc::clone(&shared),
            certificates,
        ));
        let watcher = tokio::spawn(Arc::clone(&reloader).watch()).abort_handle();
        Ok(Self {
            shared,
            reloader,
            watcher,
            stop,
            services,
            writer,
            addresses,
            admin,
            metrics,
        })
    }

    /// Where clients connect, in the order of the configuration.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Where the admin page is.
    pub fn admin(&self) -> Option<SocketAddr> {
        self.admin
    }

    /// Where the metrics are, if they have an address of their own.
    pub fn metrics(&self) -> Option<SocketAddr> {
        self.metrics
    }

    /// Whether the access log is on standard output.
    pub fn logs_to_stdout(&self) -> bool {
        self.shared.table().config.access_log == AccessLog::Stdout
    }

    /// How many requests are being served.
    pub fn in_flight(&self) -> usize {
        self.shared.in_flight()
    }

    /// Reads the configuration again, and opens the access log again.
    ///
    /// # Errors
    ///
    /// If the configuration is not good; the old one then stays at work.
    pub fn reload(&self) -> Result<(), ConfigError> {
        self.shared.log.reopen();
        self.reloader.reload()
    }

    /// Stops: accepts nothing more, lets the requests that are being served finish within the grace
    /// period, and gives the number of those that did not.
    pub async fn stop(mut self) -> usize {
        self.watcher.abort();
        let grace = self.shared.table().config.grace;
        let _ = self.stop.send(true);
        while self.services.join_next().await.is_some() {}
        // Who was accepted in the last moment is about to be counted.
        tokio::time::sleep(Duration::from_millis(20)).await;
        let _ = tokio::time::timeout(grace, self.shared.drained()).await;
        let left = self.shared.in_flight();
        let (shared, writer) = (self.shared, self.writer);
        let closing = tokio::task::spawn_blocking(move || shared.log.close(writer));
        // Somebody who does not read our output does not keep us from ending.
        let _ = tokio::time::timeout(LAST_WORDS, closing).await;
        left
    }
}

/// Lets this process open as many files as the system allows, and gives that number: each connection
/// is one, on either side.
///
/// # Errors
///
/// If the system refuses.
pub fn raise_file_limit() -> io::Result<u64> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        ..limit
    };
    setrlimit(Resource::Nofile, raised)?;
    Ok(limit.maximum.unwrap_or(u64::MAX))
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The certificate of each listener that has one, with the listener's place.
fn certificates(config: &Config) -> Result<Vec<(usize, Arc<Exchangeable>)>, StartError> {
    let with_tls = config.listeners.iter().enumerate();
    with_tls
        .filter_map(|(place, listener)| Some((place, listener.tls.as_ref()?)))
        .map(|(place, files)| match tls::load(files) {
            Ok(pair) => Ok((place, Arc::new(Exchangeable::new(pair)))),
            Err(tls::Problem::Certificate(problem) | tls::Problem::Key(problem)) => {
                Err(StartError::Other(problem))
            }
        })
        .collect()
}
