//! The sockets of the proxy, and what Pingora does with them.
//!
//! Sockets are opened here and handed to Pingora, which would panic if one could not be: an address that
//! is in use is an ordinary error.

use std::io;
use std::net::SocketAddr;
use std::os::fd::IntoRawFd;
use std::sync::Arc;

use pingora_core::apps::HttpServerOptions;
use pingora_core::listeners::tls::TlsSettings;
use pingora_core::server::configuration::ServerConf;
use pingora_core::server::{Fds, ListenFds, ShutdownWatch};
use pingora_core::services::Service as _;
use pingora_core::services::listening::Service as Listening;
use pingora_proxy::{HttpProxy, ProxyServiceBuilder};
use tokio::net::TcpSocket;
use tokio::task::JoinSet;

use super::admin::Admin;
use super::config::Listener;
use super::service::Service;
use super::shared::Shared;
use super::tls::Exchangeable;

/// How many connections may wait to be accepted, if the system lets them.
const BACKLOG: u32 = 65_535;

/// Pingora tries at most so often; the groups' own limits are lower.
const MOST_ATTEMPTS: usize = 16;

/// How many unused connections to servers are kept, over all servers.
const KEPT: usize = 1024;

/// Sockets that are open, by address.
pub(crate) struct Sockets(Fds);

impl Sockets {
    pub(crate) fn new() -> Self {
        Self(Fds::new())
    }

    /// Opens a socket and gives its address, in which port 0 is replaced.
    pub(crate) fn open(&mut self, address: SocketAddr) -> io::Result<SocketAddr> {
        let socket = if address.is_ipv4() {
            TcpSocket::new_v4()?
        } else {
            TcpSocket::new_v6()?
        };
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        let listener = socket.listen(BACKLOG)?;
        let address = listener.local_addr()?;
        let descriptor = listener.into_std()?.into_raw_fd();
        self.0.add(address.to_string(), descriptor);
        Ok(address)
    }

    pub(crate) fn share(self) -> ListenFds {
        Arc::new(self.0.into())
    }
}

/// Starts to serve clients. Those of listeners that speak HTTP/2 without TLS have a service of their
/// own, since Pingora decides that for a service as a whole.
pub(crate) fn clients(
    shared: &Arc<Shared>,
    listeners: &[(SocketAddr, &Listener, Option<Arc<Exchangeable>>)],
    threads: usize,
    sockets: &ListenFds,
    stop: &ShutdownWatch,
    tasks: &mut JoinSet<()>,
) -> Result<(), String> {
    for h2c in [false, true] {
        let mut service = service(shared, threads, h2c);
        let mut used = false;
        for (address, listener, certificate) in listeners {
            if (listener.tls.is_none() && listener.http2) != h2c {
                continue;
            }
            used = true;
            let address = address.to_string();
            let Some(certificate) = certificate else {
                service.add_tcp(&address);
                continue;
            };
            // Without files: the certificate is asked for at each handshake.
            let settings = TlsSettings::intermediate("", "");
            let mut settings = settings.map_err(|error| error.to_string())?;
            settings.set_cert_resolver(Arc::clone(certificate) as _);
            if listener.http2 {
                settings.enable_h2();
            }
            service.add_tls_with_settings(&address, None, settings);
        }
        if used {
            let (sockets, stop) = (Arc::clone(sockets), stop.clone());
            tasks.spawn(async move { service.start_service(Some(sockets), stop, 1).await });
        }
    }
    Ok(())
}

fn service(shared: &Arc<Shared>, threads: usize, h2c: bool) -> Listening<HttpProxy<Service>> {
    let conf = ServerConf {
        threads,
        max_retries: MOST_ATTEMPTS,
        upstream_keepalive_pool_size: KEPT,
        ..ServerConf::default()
    };
    let mut options = HttpServerOptions::default();
    options.h2c = h2c;
    ProxyServiceBuilder::new(&Arc::new(conf), Service(Arc::clone(shared)))
        .server_options(options)
        .build()
}

/// Starts to serve the admin page, or the metrics alone.
pub(crate) fn operators(
    shared: &Arc<Shared>,
    address: SocketAddr,
    metrics_only: bool,
    sockets: &ListenFds,
    stop: &ShutdownWatch,
    tasks: &mut JoinSet<()>,
) {
    let admin = Admin {
        shared: Arc::clone(shared),
        metrics_only,
    };
    let mut service = Listening::new("admin".into(), admin);
    service.add_tcp(&address.to_string());
    let (sockets, stop) = (Arc::clone(sockets), stop.clone());
    tasks.spawn(async move { service.start_service(Some(sockets), stop, 1).await });
}
