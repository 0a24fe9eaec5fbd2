use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use http::StatusCode;

use super::draining::Draining;
use super::open_connections::OpenConnection;
use crate::proxy::config::ClientLimits;
use crate::proxy::file_limit;
use crate::proxy::log_line::LogLine;
use crate::proxy::proxy_state::ProxyState;

/// What the connections of clients share that one worker serves.
pub(crate) struct Front {
    pub(crate) proxy: Arc<ProxyState>,
    /// The number of the worker.
    pub(crate) worker: usize,
    /// How many connections there may be if the configuration does not say.
    most: usize,
}

impl Front {
    pub(crate) fn new(proxy: Arc<ProxyState>, worker: usize) -> Self {
        Self {
            proxy,
            worker,
            most: file_limit::connections(),
        }
    }

    pub(super) fn limits(&self) -> ClientLimits {
        self.proxy.active().config.client
    }

    pub(crate) fn draining(&self) -> &Draining {
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
    pub(super) fn refused(&self, client: SocketAddr, status: StatusCode) {
        self.proxy.counts.refused.add();
        self.proxy.log.write(|| LogLine::refused(client, status));
    }
}
