use std::fmt::Display;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use http::StatusCode;

use super::draining::Draining;
use super::failed_handshake::FailedHandshake;
use super::open_connections::OpenConnection;
use crate::proxy::client_address::ClientAddress;
use crate::proxy::config::ClientLimits;
use crate::proxy::file_limit;
use crate::proxy::log_line::LogLine;
use crate::proxy::proxy_state::ProxyState;
use crate::proxy::stderr_logger::BY_CLIENTS;

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

    /// Counts a connection, from this address if it is known, unless there are too many.
    pub(super) fn admit(&self, address: Option<IpAddr>) -> Option<OpenConnection> {
        let limits = self.limits();
        let all = limits.connections.unwrap_or(self.most);
        self.proxy.open.admit(all)?.from(address, each(&limits))
    }

    /// Counts a connection from this address, now that it is known, unless there are too many.
    pub(super) fn admit_from(
        &self,
        open: OpenConnection,
        address: Option<IpAddr>,
    ) -> Option<OpenConnection> {
        open.from(address, each(&self.limits()))
    }

    /// Counts and logs what was refused before it was a request.
    pub(super) fn refused(&self, client: ClientAddress, status: StatusCode) {
        self.proxy.counts.refused.add();
        self.proxy.log.write(|| LogLine::refused(client, status));
    }

    /// Counts and logs a connection that was closed before it could have an answer.
    pub(super) fn closed(&self, peer: ClientAddress, problem: &impl Display) {
        self.proxy.counts.refused.add();
        self.proxy.log.write(|| LogLine::closed(peer, problem));
    }

    /// Counts and logs a TLS handshake that has failed. It has no line in the access log, which is
    /// about requests: a scan for open ports would fill it.
    pub(super) fn handshake_failed(&self, client: ClientAddress, error: &io::Error) {
        let failed = FailedHandshake::of(error);
        self.proxy.counts.handshake_failed(failed);
        let reason = failed.name();
        log::info!(target: BY_CLIENTS, "TLS with {client} has failed: {reason}: {error}");
    }
}

/// How many connections an address may have.
fn each(limits: &ClientLimits) -> usize {
    limits.connections_each.unwrap_or(usize::MAX)
}
