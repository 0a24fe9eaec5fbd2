//! A server that a request holds, and gives back however it ends.

use std::sync::Arc;
use std::time::Instant;

use super::groups::{Group, Key, Live};
use super::queue::{Attempt, Turned};
use super::upstream::Upstream;
use crate::{Lease, Refused, Told};

/// The lease of a server. Dropping it, in a panic too, gives it back with nothing learned.
pub(crate) struct Held {
    lease: Option<Lease<Key>>,
    live: Arc<Live>,
    server: Arc<Upstream>,
    since: Instant,
}

/// Why there is no server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nobody {
    /// The group's queue says so.
    Turned(Turned),
    /// Every server that is up was tried.
    AllTried,
}

impl Held {
    /// The server that the policy of `group` chooses among those that were not `tried`, once it is one's
    /// turn.
    pub(crate) async fn acquire(
        group: &Group,
        tried: &[Key],
        until: Instant,
    ) -> Result<Self, Nobody> {
        let live = &group.live;
        loop {
            let attempt = || match lease(live, tried) {
                Ok(lease) => Attempt::Done(Some(lease)),
                Err(Refused::AllTried) if others_are_up(live, tried) => Attempt::Barred,
                Err(Refused::AllTried) => Attempt::Done(None),
                Err(_) => Attempt::Full,
            };
            let turn = live.queue.turn(group.said.queue.length, until, attempt);
            let lease = turn.await.map_err(Nobody::Turned)?;
            let lease = lease.ok_or(Nobody::AllTried)?;
            // A server that left between being chosen and being looked up: choose again.
            if let Some(server) = live.server(lease.server()) {
                return Ok(Self {
                    lease: Some(lease),
                    live: Arc::clone(live),
                    server,
                    since: Instant::now(),
                });
            }
        }
    }

    pub(crate) fn server(&self) -> &Arc<Upstream> {
        &self.server
    }

    /// The server has answered and told so much about itself.
    pub(crate) fn answered(mut self, told: Told) {
        self.server.standing.succeeded();
        self.server
            .standing
            .counts
            .latency
            .record(self.since.elapsed());
        if let Some(lease) = self.lease.take() {
            lease.answered(told);
        }
    }

    /// The server has failed.
    pub(crate) fn failed(mut self, group: &Group) {
        if let Some(lease) = self.lease.take() {
            lease.failed();
        }
        self.server.standing.failed(group.said.failures);
    }
}

fn lease(live: &Live, tried: &[Key]) -> Result<Lease<Key>, Refused> {
    if tried.is_empty() {
        live.balancer.lease()
    } else {
        live.balancer.lease_avoiding(tried)
    }
}

/// Whether there is a server that was not tried and would be worth waiting for.
fn others_are_up(live: &Live, tried: &[Key]) -> bool {
    let servers = live.balancer.state().servers;
    let mut others = servers.iter().filter(|server| !tried.contains(&server.key));
    others.any(|server| server.up)
}

impl Drop for Held {
    fn drop(&mut self) {
        drop(self.lease.take());
        self.live.queue.wake();
    }
}
