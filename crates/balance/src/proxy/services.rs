//! The services of a proxy: for clients and for operators.

use std::io;
use std::net::TcpListener;
use std::os::fd::IntoRawFd as _;
use std::sync::Arc;

use pingora_core::server::configuration::ServerConf;
use pingora_core::server::{Fds, ListenFds};
use pingora_core::services::Service as _;
use pingora_core::services::listening::Service as Listening;
use pingora_proxy::{HttpProxy, http_proxy};
use pingora_rustls::ServerConfig;
use tokio::task::JoinSet;

use super::admin::Admin;
use super::certificate::Certificate;
use super::connections::{Acceptor, Front};
use super::proxy_service::ProxyService;
use super::proxy_state::ProxyState;

/// Pingora's own limit on attempts; the limits of groups are lower.
const MOST_ATTEMPTS: usize = 16;

/// How many unused connections to servers are kept, over all servers.
const KEPT: usize = 1024;

/// A socket for clients, and what they may speak there.
pub(crate) struct ListeningSocket {
    pub(crate) listener: TcpListener,
    pub(crate) http2: bool,
    pub(crate) certificate: Option<Arc<Certificate>>,
}

/// The services of a proxy.
pub(crate) struct Services {
    proxy: Arc<ProxyState>,
    tasks: JoinSet<()>,
}

impl Services {
    pub(crate) fn new(proxy: Arc<ProxyState>) -> Self {
        Self {
            proxy,
            tasks: JoinSet::new(),
        }
    }

    /// Starts to serve clients.
    pub(crate) fn serve_clients(
        &mut self,
        sockets: Vec<ListeningSocket>,
        threads: usize,
    ) -> io::Result<()> {
        let front = Arc::new(Front::new(self.http(threads), Arc::clone(&self.proxy)));
        for socket in sockets {
            let listener = tokio::net::TcpListener::from_std(socket.listener)?;
            let acceptor = Acceptor {
                front: Arc::clone(&front),
                http2: socket.http2,
                tls: socket.certificate.map(|it| tls(it, socket.http2)),
            };
            self.tasks.spawn(acceptor.accept(listener));
        }
        Ok(())
    }

    fn http(&self, threads: usize) -> HttpProxy<ProxyService> {
        let conf = ServerConf {
            threads,
            max_retries: MOST_ATTEMPTS,
            upstream_keepalive_pool_size: KEPT,
            ..ServerConf::default()
        };
        http_proxy(&Arc::new(conf), ProxyService(Arc::clone(&self.proxy)))
    }

    /// Starts to serve the admin page, or the metrics alone.
    pub(crate) fn serve_operators(
        &mut self,
        listener: TcpListener,
        metrics_only: bool,
    ) -> io::Result<()> {
        let admin = Admin {
            proxy: Arc::clone(&self.proxy),
            metrics_only,
        };
        let address = listener.local_addr()?.to_string();
        let mut service = Listening::new("admin".into(), admin);
        service.add_tcp(&address);
        // Pingora panics if it cannot open a socket itself.
        let mut sockets = Fds::new();
        sockets.add(address, listener.into_raw_fd());
        let sockets: ListenFds = Arc::new(sockets.into());
        let stop = self.proxy.draining.watch();
        self.tasks
            .spawn(async move { service.start_service(Some(sockets), stop, 1).await });
        Ok(())
    }

    /// The tasks that serve.
    pub(crate) fn into_tasks(self) -> JoinSet<()> {
        self.tasks
    }
}

/// TLS with this certificate, which is asked for at each handshake.
fn tls(certificate: Arc<Certificate>, http2: bool) -> Arc<ServerConfig> {
    let mut config = ServerConfig::builder()
        .with_no_client_auth()
        .with_cert_resolver(certificate);
    let protocols: &[&[u8]] = if http2 {
        &[b"h2", b"http/1.1"]
    } else {
        &[b"http/1.1"]
    };
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    Arc::new(config)
}
