//! The Pingora services of a proxy: for clients and for operators.

use std::net::SocketAddr;
use std::sync::Arc;

use pingora_core::apps::HttpServerOptions;
use pingora_core::listeners::tls::TlsSettings;
use pingora_core::server::configuration::ServerConf;
use pingora_core::server::{ListenFds, ShutdownWatch};
use pingora_core::services::Service as _;
use pingora_core::services::listening::Service as Listening;
use pingora_proxy::{HttpProxy, ProxyServiceBuilder};
use tokio::task::JoinSet;

use super::admin::Admin;
use super::certificate::Certificate;
use super::proxy_service::ProxyService;
use super::proxy_state::ProxyState;
use super::sockets::Sockets;

/// Pingora's own limit on attempts; the limits of groups are lower.
const MOST_ATTEMPTS: usize = 16;

/// How many unused connections to servers are kept, over all servers.
const KEPT: usize = 1024;

/// A socket for clients, and what they may speak there.
pub(crate) struct ListeningSocket {
    pub(crate) address: SocketAddr,
    pub(crate) http2: bool,
    pub(crate) certificate: Option<Arc<Certificate>>,
}

/// The Pingora services of a proxy.
pub(crate) struct Services {
    proxy: Arc<ProxyState>,
    sockets: ListenFds,
    stop: ShutdownWatch,
    tasks: JoinSet<()>,
}

impl Services {
    pub(crate) fn new(proxy: Arc<ProxyState>, sockets: Sockets, stop: ShutdownWatch) -> Self {
        Self {
            proxy,
            sockets: sockets.into_shared(),
            stop,
            tasks: JoinSet::new(),
        }
    }

    /// Starts to serve clients. Sockets with HTTP/2 but without TLS get a service of their own,
    /// because Pingora has that option for a service as a whole.
    pub(crate) fn serve_clients(
        &mut self,
        sockets: &[ListeningSocket],
        threads: usize,
    ) -> Result<(), String> {
        let is_h2c = |socket: &&ListeningSocket| socket.http2 && socket.certificate.is_none();
        let (h2c, others): (Vec<_>, Vec<_>) = sockets.iter().partition(is_h2c);
        for (sockets, h2c) in [(others, false), (h2c, true)] {
            if sockets.is_empty() {
                continue;
            }
            let mut service = self.client_service(threads, h2c);
            for socket in sockets {
                add(&mut service, socket)?;
            }
            self.start(service);
        }
        Ok(())
    }

    fn client_service(&self, threads: usize, h2c: bool) -> Listening<HttpProxy<ProxyService>> {
        let conf = ServerConf {
            threads,
            max_retries: MOST_ATTEMPTS,
            upstream_keepalive_pool_size: KEPT,
            ..ServerConf::default()
        };
        let mut options = HttpServerOptions::default();
        options.h2c = h2c;
        ProxyServiceBuilder::new(&Arc::new(conf), ProxyService(Arc::clone(&self.proxy)))
            .server_options(options)
            .build()
    }

    /// Starts to serve the admin page, or the metrics alone.
    pub(crate) fn serve_operators(&mut self, address: SocketAddr, metrics_only: bool) {
        let admin = Admin {
            proxy: Arc::clone(&self.proxy),
            metrics_only,
        };
        let mut service = Listening::new("admin".into(), admin);
        service.add_tcp(&address.to_string());
        self.start(service);
    }

    fn start<A>(&mut self, mut service: Listening<A>)
    where
        Listening<A>: pingora_core::services::Service + 'static,
    {
        let (sockets, stop) = (Arc::clone(&self.sockets), self.stop.clone());
        self.tasks
            .spawn(async move { service.start_service(Some(sockets), stop, 1).await });
    }

    /// The tasks that serve.
    pub(crate) fn into_tasks(self) -> JoinSet<()> {
        self.tasks
    }
}

fn add<A>(service: &mut Listening<A>, socket: &ListeningSocket) -> Result<(), String> {
    let address = socket.address.to_string();
    let Some(certificate) = &socket.certificate else {
        service.add_tcp(&address);
        return Ok(());
    };
    // Without files: the resolver is asked for the certificate at each handshake.
    let settings = TlsSettings::intermediate("", "");
    let mut settings = settings.map_err(|error| error.to_string())?;
    settings.set_cert_resolver(Arc::clone(certificate) as _);
    if socket.http2 {
        settings.enable_h2();
    }
    service.add_tls_with_settings(&address, None, settings);
    Ok(())
}
