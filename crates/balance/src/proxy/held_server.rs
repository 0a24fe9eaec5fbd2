//! The server that a request holds.

use std::sync::Arc;
use std::time::Instant;

use super::config::Failures;
use super::group_state::ServerKey;
use super::servers::Upstream;
use crate::{Lease, Outcome, Told};

/// A server and its lease. Dropping it, in a panic too, returns the lease with nothing learned.
pub(crate) struct HeldServer {
    lease: Lease<ServerKey>,
    server: Arc<Upstream>,
    since: Instant,
}

impl HeldServer {
    pub(crate) fn new(lease: Lease<ServerKey>, server: Arc<Upstream>) -> Self {
        Self {
            lease,
            server,
            since: Instant::now(),
        }
    }

    /// Since when the request has it.
    pub(crate) fn since(&self) -> Instant {
        self.since
    }

    pub(crate) fn server(&self) -> &Arc<Upstream> {
        &self.server
    }

    /// The server has answered with this status now, and told this about itself.
    pub(crate) fn answered(self, status: u16, told: Told, limits: Failures, now: Instant) {
        let health = &self.server.health;
        let outcome = self.lease.outcome_of(status);
        health.counts.latency.record(now - self.since);
        self.lease.ended_at(now, outcome, told);
        match outcome {
            Outcome::Failed => health.failed(limits),
            Outcome::Good | Outcome::Neutral => health.succeeded(),
        }
    }

    /// The server has failed.
    pub(crate) fn failed(self, limits: Failures) {
        self.lease.failed();
        self.server.health.failed(limits);
    }
}
