//! The proxy as it is at this moment, for the admin page and for Prometheus.

use serde::Serialize;

use super::groups::Group;
use super::shared::Shared;

/// All groups.
#[derive(Debug, Serialize)]
pub(crate) struct View {
    pub(crate) in_flight: usize,
    /// Whether the last reload was refused, so that an older configuration is at work.
    pub(crate) stale: bool,
    pub(crate) groups: Vec<GroupView>,
}

/// A group.
#[derive(Debug, Serialize)]
pub(crate) struct GroupView {
    pub(crate) name: String,
    pub(crate) policy: String,
    pub(crate) waiting: usize,
    pub(crate) messages: u64,
    pub(crate) messages_saved: u64,
    pub(crate) tokens_received: u64,
    pub(crate) tokens_ignored: u64,
    pub(crate) servers: Vec<ServerView>,
}

/// A server.
#[derive(Debug, Serialize)]
pub(crate) struct ServerView {
    pub(crate) name: String,
    pub(crate) up: bool,
    /// Whether the dispatcher holds its token, so that it is known to be idle.
    pub(crate) token: bool,
    pub(crate) outstanding: u32,
    pub(crate) limit: Option<u32>,
    pub(crate) speed: f64,
    pub(crate) served: u64,
    pub(crate) failed: u64,
    pub(crate) checks_passed: u64,
    pub(crate) checks_failed: u64,
}

impl View {
    pub(crate) fn of(shared: &Shared) -> Self {
        Self {
            in_flight: shared.in_flight(),
            stale: shared.counts.is_stale(),
            groups: shared
                .table()
                .groups
                .iter()
                .map(|group| GroupView::of(group))
                .collect(),
        }
    }
}

impl GroupView {
    fn of(group: &Group) -> Self {
        let state = group.live.balancer.state();
        let server = |server: &crate::ServerState<super::groups::Key>| {
            let upstream = group.live.server(&server.key)?;
            let counts = &upstream.standing.counts;
            Some(ServerView {
                name: server.key.to_string(),
                up: server.up,
                token: server.token,
                outstanding: server.outstanding,
                limit: server.limit,
                speed: server.speed,
                served: server.served,
                failed: server.failed,
                checks_passed: counts.passed.get(),
                checks_failed: counts.missed.get(),
            })
        };
        Self {
            name: group.said.name.to_string(),
            policy: group.said.policy.to_string(),
            waiting: group.live.queue.len(),
            messages: state.messages,
            messages_saved: state.messages_saved,
            tokens_received: state.tokens.received,
            tokens_ignored: state.tokens.ignored,
            servers: state.servers.iter().filter_map(server).collect(),
        }
    }
}
