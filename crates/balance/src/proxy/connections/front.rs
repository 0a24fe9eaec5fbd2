use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use async_trait::async_trait;
use http::StatusCode;
use pingora_core::apps::{HttpServerApp, HttpServerOptions, ReusedHttpStream};
use pingora_core::protocols::http::ServerSession;
use pingora_core::server::ShutdownWatch;
use pingora_proxy::HttpProxy;

use super::draining::Draining;
use super::open_connections::OpenConnection;
use crate::proxy::config::ClientLimits;
use crate::proxy::file_limit;
use crate::proxy::log_line::LogLine;
use crate::proxy::proxy_service::ProxyService;
use crate::proxy::proxy_state::ProxyState;

/// What the connections of clients share.
pub(crate) struct Front {
    pub(super) http: Arc<HttpProxy<ProxyService>>,
    pub(super) proxy: Arc<ProxyState>,
    pub(super) stop: ShutdownWatch,
    /// How many connections there may be if the configuration does not say.
    most: usize,
}

impl Front {
    pub(crate) fn new(http: HttpProxy<ProxyService>, proxy: Arc<ProxyState>) -> Self {
        Self {
            http: Arc::new(http),
            stop: proxy.draining.watch(),
            proxy,
            most: file_limit::connections(),
        }
    }

    pub(super) fn limits(&self) -> ClientLimits {
        self.proxy.active().config.client
    }

    pub(super) fn draining(&self) -> &Draining {
        &self.proxy.draining
    }

    /// Counts a connection from this address, unless there are too many.
    pub(super) fn admit(&self, address: IpAddr) -> Option<OpenConnection> {
        let limits = self.limits();
        let all = limits.connections.unwrap_or(self.most);
        let each = limits.connections_each.unwrap_or(usize::MAX);
        self.proxy.open.admit(address, all, each)
    }

    /// Counts and logs what was refused before it was a request.
    pub(super) fn refused(&self, client: Option<SocketAddr>, status: StatusCode) {
        self.proxy.counts.refused.add();
        self.proxy.log.write(|| LogLine::refused(client, status));
    }

    /// The application that serves connections with HTTP/2, by the limits of now.
    pub(super) fn with_http2(&self) -> Arc<Http2> {
        let mut options = HttpServerOptions::default();
        options.h2_idle_timeout = Some(self.limits().idle);
        Arc::new(Http2 {
            http: Arc::clone(&self.http),
            options,
        })
    }
}

/// The proxy, for connections with HTTP/2.
pub(super) struct Http2 {
    http: Arc<HttpProxy<ProxyService>>,
    options: HttpServerOptions,
}

#[async_trait]
impl HttpServerApp for Http2 {
    async fn process_new_http(
        self: &Arc<Self>,
        session: ServerSession,
        shutdown: &ShutdownWatch,
    ) -> Option<ReusedHttpStream> {
        self.http.process_new_http(session, shutdown).await
    }

    fn server_options(&self) -> Option<&HttpServerOptions> {
        Some(&self.options)
    }
}
