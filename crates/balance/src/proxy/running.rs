use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::{AbortHandle, JoinHandle, JoinSet};

use super::access_log::{AccessLog, LogThread};
use super::active_config::ActiveConfig;
use super::config::{Address, Config, ConfigError, LogTarget};
use super::listening::Listening;
use super::proxy_state::ProxyState;
use super::reloader::Reloader;
use super::services::{ListeningSocket, Services};
use super::shown_path::shown;
use super::sockets::Sockets;
use super::start_error::ProxyStartError;
use super::tls::{Credentials, ToClients};
use super::unix_socket;
use super::upgrade::{Offer, Predecessor};
use super::workers::Workers;

/// How long the requests that are cut off at the end may take to write their lines into the access
/// log, and how long the log may then take to write the lines that wait.
const LAST_LINES: Duration = Duration::from_secs(2);

/// A proxy that runs, from start to stop. Its workers have threads and runtimes of their own. The
/// rest, such as health checks and the admin page, is on the current tokio runtime.
pub struct Running {
    proxy: Arc<ProxyState>,
    reloader: Arc<Reloader>,
    watcher: AbortHandle,
    /// Ends when a successor has taken the sockets.
    handed_over: Option<JoinHandle<()>>,
    services: JoinSet<()>,
    workers: Workers,
    log_thread: LogThread,
    addresses: Vec<Address>,
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
        let (mut running, offer) = Self::begin(path, config, Sockets::from_environment())?;
        if let Some(offer) = offer {
            running.publish(offer).map_err(ProxyStartError::Other)?;
        }
        Ok(running)
    }

    /// Starts the proxy in the place of one that runs by the same file, which then stops.
    ///
    /// # Errors
    ///
    /// As for [`start`](Self::start), and if there is no such proxy. It then goes on.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub fn take_over(path: &Path) -> Result<Self, ProxyStartError> {
        let config = Config::read(path).map_err(ProxyStartError::Config)?;
        let Some(at) = config.upgrade.clone() else {
            let problem = "there is no field upgrade, at which the other proxy could be asked";
            return Err(ProxyStartError::Other(format!(
                "{}: {problem}",
                shown(path)
            )));
        };
        let failed = |error: io::Error| {
            ProxyStartError::Other(format!("cannot take over at '{}': {error}", shown(&at)))
        };
        let (predecessor, sockets) = Predecessor::ask(&at).map_err(failed)?;
        let (mut running, offer) = Self::begin(path, config, Sockets::received(sockets))?;
        predecessor.ready();
        // The predecessor stops now, so there is no way back.
        if let Some(Err(problem)) = offer.map(|offer| running.publish(offer)) {
            log::error!("{problem}: this proxy can have no successor");
        }
        Ok(running)
    }

    /// Starts everything but the wait for a successor, for which all is prepared that can fail. A
    /// proxy that does not start leaves no Unix sockets.
    fn begin(
        path: &Path,
        config: Config,
        sockets: Sockets,
    ) -> Result<(Self, Option<Offer>), ProxyStartError> {
        let listeners = config.listeners.iter();
        let addresses: Vec<_> = listeners.map(|it| it.address.clone()).collect();
        Self::try_begin(path, config, sockets).inspect_err(|_| remove_unused(&addresses))
    }

    fn try_begin(
        path: &Path,
        config: Config,
        mut sockets: Sockets,
    ) -> Result<(Self, Option<Offer>), ProxyStartError> {
        let mut open = |address: &Address, mode: u32| {
            let opened = sockets.open(address, mode);
            opened.map_err(|error| ProxyStartError::Address(address.clone(), error))
        };
        let listeners = config.listeners.iter();
        let listeners = listeners
            .map(|listener| open(&listener.address, listener.mode))
            .collect::<Result<Vec<_>, _>>()?;
        let mut of_operators = |address: SocketAddr| open(&address.into(), 0);
        let admin = config.admin.map(&mut of_operators).transpose()?;
        let metrics = config.metrics.map(&mut of_operators).transpose()?;
        let offer = match &config.upgrade {
            Some(at) => {
                let all = listeners.iter().chain(&admin).chain(&metrics);
                Some(Offer::prepare(at, all).map_err(|error| {
                    ProxyStartError::Other(format!("cannot listen at '{}': {error}", shown(at)))
                })?)
            }
            None => None,
        };
        let addresses = listeners
            .iter()
            .map(address)
            .collect::<Result<Vec<_>, _>>()?;
        let tls = to_clients(&config)?;
        for warning in config.warnings() {
            log::warn!("{warning}");
        }
        let (log, log_thread) =
            AccessLog::open(&config.access_log).map_err(ProxyStartError::Log)?;

        let active = ActiveConfig::install(config.clone(), None).map_err(ProxyStartError::Other)?;
        let proxy = Arc::new(ProxyState::new(active, log));
        let workers = Workers::start(config.workers())
            .map_err(|error| ProxyStartError::Other(error.to_string()))?;
        let mut services = Services::new(Arc::clone(&proxy));
        let listening = config
            .listeners
            .iter()
            .zip(listeners.into_iter().zip(&tls))
            .map(|(config, (listener, tls))| ListeningSocket {
                listener,
                http2: config.http2,
                tls: tls.clone(),
                proxy_protocol: config.proxy_protocol.clone().map(Arc::new),
            });
        services
            .serve_clients(listening.collect(), &workers)
            .map_err(|error| ProxyStartError::Other(error.to_string()))?;
        let mut operators = [None, None];
        for (place, listener) in [admin, metrics].into_iter().enumerate() {
            let Some(listener) = listener else { continue };
            operators[place] = address(&listener)?.ip();
            services
                .serve_operators(listener, place == 1)
                .map_err(|error| ProxyStartError::Other(error.to_string()))?;
        }
        let [admin, metrics] = operators;
        let reloader = Reloader::new(path.to_owned(), Arc::clone(&proxy), tls);
        let reloader = Arc::new(reloader);
        let watcher = tokio::spawn(Arc::clone(&reloader).watch()).abort_handle();
        let running = Self {
            proxy,
            reloader,
            watcher,
            handed_over: None,
            services: services.into_tasks(),
            workers,
            log_thread,
            addresses,
            admin,
            metrics,
        };
        Ok((running, offer))
    }

    /// Waits for a successor from now on.
    fn publish(&mut self, offer: Offer) -> Result<(), String> {
        let at = shown(offer.path());
        let published = offer.publish();
        let published = published.map_err(|error| format!("cannot listen at '{at}': {error}"))?;
        self.handed_over = Some(tokio::spawn(published.hand_over()));
        Ok(())
    }

    /// Where clients connect, in the order of the configuration.
    pub fn addresses(&self) -> &[Address] {
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

    /// Waits until a successor has taken this proxy's place.
    pub async fn succeeded(&mut self) {
        match &mut self.handed_over {
            Some(handed_over) => {
                let _ = handed_over.await;
                self.handed_over = None;
            }
            None => std::future::pending().await,
        }
    }

    /// Stops: accepts no connections, gives the requests in flight the grace period to finish, and
    /// returns the number of those that did not.
    pub async fn stop(mut self) -> usize {
        self.watcher.abort();
        if let Some(handed_over) = self.handed_over.take() {
            handed_over.abort();
            // It has copies of the listening sockets.
            let _ = handed_over.await;
        }
        let grace = self.proxy.active().config.grace;
        let linger = self.proxy.active().config.linger;
        self.proxy.draining.begin(linger, grace);
        while self.services.join_next().await.is_some() {}
        remove_unused(&self.addresses);
        // A connection whose request has come in part is no request yet, but is open.
        let ended = async {
            self.proxy.open.closed().await;
            self.proxy.drained().await;
        };
        let _ = tokio::time::timeout(grace, ended).await;
        let unfinished = self.proxy.in_flight();
        drop(self.workers);
        let (proxy, log_thread) = (self.proxy, self.log_thread);
        // The workers' threads cut off what is left. Each request writes its line as it ends.
        let _ = tokio::time::timeout(LAST_LINES, proxy.drained()).await;
        let closing = tokio::task::spawn_blocking(move || proxy.log.close(log_thread));
        // A reader that does not read our output does not keep the proxy from ending.
        let _ = tokio::time::timeout(LAST_LINES, closing).await;
        unfinished
    }
}

/// Removes the files of Unix sockets at which nobody listens any more.
fn remove_unused(addresses: &[Address]) {
    for address in addresses {
        if let Address::Unix(path) = address {
            unix_socket::remove_unused(path);
        }
    }
}

/// The address of a socket, in which port 0 is replaced.
fn address(listener: &Listening) -> Result<Address, ProxyStartError> {
    let address = listener.address();
    address.map_err(|error| ProxyStartError::Other(error.to_string()))
}

/// TLS at each listener, if it has it.
fn to_clients(config: &Config) -> Result<Vec<Option<Arc<ToClients>>>, ProxyStartError> {
    let listeners = config.listeners.iter();
    listeners
        .map(|listener| {
            let credentials = listener.tls.as_ref().map(Credentials::load).transpose();
            let credentials =
                credentials.map_err(|(_, problem)| ProxyStartError::Other(problem))?;
            Ok(credentials.map(|it| Arc::new(ToClients::new(it, listener.http2))))
        })
        .collect()
}
