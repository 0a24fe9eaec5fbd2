//! The services of a proxy: for clients and for operators.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::task::JoinSet;
use tokio::time::{interval, sleep};

use super::admin::Admin;
use super::config::ProxyProtocol;
use super::connections::{Acceptor, Front};
use super::listening::Listening;
use super::proxy_state::ProxyState;
use super::socket::Socket;
use super::tls::ToClients;
use super::workers::Workers;

/// How often connections that wait for requests are looked at.
const SWEEP: Duration = Duration::from_secs(1);

/// How long an operator may take to send the header of a request.
const OPERATORS_HEADER: Duration = Duration::from_secs(10);

/// How long to wait if no connection of an operator can be accepted.
const PAUSE: Duration = Duration::from_millis(100);

/// A socket for clients, and what they may speak there.
pub(crate) struct ListeningSocket {
    pub(crate) listener: Listening,
    pub(crate) http2: bool,
    pub(crate) tls: Option<Arc<ToClients>>,
    pub(crate) proxy_protocol: Option<Arc<ProxyProtocol>>,
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

    /// Starts to serve clients. Every worker accepts connections from every socket.
    pub(crate) fn serve_clients(
        &mut self,
        sockets: Vec<ListeningSocket>,
        workers: &Workers,
    ) -> io::Result<()> {
        for (worker, runtime) in workers.handles().iter().enumerate() {
            let front = Arc::new(Front::new(Arc::clone(&self.proxy), worker));
            for socket in &sockets {
                let listener = socket.listener.try_clone()?;
                let acceptor = Acceptor {
                    front: Arc::clone(&front),
                    http2: socket.http2,
                    tls: socket.tls.clone(),
                    proxy_protocol: socket.proxy_protocol.clone(),
                };
                self.tasks.spawn_on(acceptor.accept(listener), runtime);
            }
            runtime.spawn(sweep(Arc::clone(&self.proxy), worker));
        }
        Ok(())
    }

    /// Starts to serve the admin page, or the metrics alone.
    pub(crate) fn serve_operators(
        &mut self,
        listener: Listening,
        metrics_only: bool,
    ) -> io::Result<()> {
        let admin = Arc::new(Admin {
            proxy: Arc::clone(&self.proxy),
            metrics_only,
        });
        let listener = listener.into_tokio()?;
        self.tasks.spawn(async move {
            let stopping = admin.proxy.draining.has_begun_now();
            tokio::pin!(stopping);
            loop {
                tokio::select! {
                    biased;
                    () = &mut stopping => return,
                    accepted = listener.accept() => match accepted {
                        Ok((stream, _)) => attend(stream, Arc::clone(&admin)),
                        Err(_) => sleep(PAUSE).await,
                    },
                }
            }
        });
        Ok(())
    }

    /// The tasks that serve.
    pub(crate) fn into_tasks(self) -> JoinSet<()> {
        self.tasks
    }
}

/// Serves the connection of an operator.
fn attend(stream: Socket, admin: Arc<Admin>) {
    tokio::spawn(async move {
        let service = service_fn(|request| {
            let answer = admin.answer(&request);
            async { Ok::<_, Infallible>(answer) }
        });
        let mut builder = http1::Builder::new();
        builder
            .timer(TokioTimer::new())
            .header_read_timeout(OPERATORS_HEADER);
        // An error is the operator's.
        let _ = builder
            .serve_connection(TokioIo::new(stream), service)
            .await;
    });
}

/// Closes the connections of a worker to servers that are unused for too long.
async fn sweep(proxy: Arc<ProxyState>, worker: usize) {
    let mut ticks = interval(SWEEP);
    loop {
        ticks.tick().await;
        for group in &proxy.active().groups {
            for server in &group.servers {
                server.pools[worker].sweep(server.timeouts.idle);
            }
        }
    }
}
