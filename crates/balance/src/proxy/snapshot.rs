use serde::Serialize;

use super::group::Group;
use super::group_state::ServerKey;
use super::proxy_state::ProxyState;
use crate::ServerState;

/// The proxy as it is now, for the admin page and for Prometheus.
#[derive(Debug, Serialize)]
pub(crate) struct Snapshot {
    pub(crate) in_flight: usize,
    /// Connections of clients.
    pub(crate) connections: usize,
    /// Whether the last reload was refused, so that an older configuration is in use.
    pub(crate) stale: bool,
    pub(crate) groups: Vec<GroupSnapshot>,
}

/// A group.
#[derive(Debug, Serialize)]
pub(crate) struct GroupSnapshot {
    pub(crate) name: String,
    pub(crate) policy: String,
    pub(crate) waiting: usize,
    pub(crate) messages: u64,
    pub(crate) messages_saved: u64,
    pub(crate) tokens_received: u64,
    pub(crate) tokens_ignored: u64,
    pub(crate) servers: Vec<ServerSnapshot>,
}

/// A server.
#[derive(Debug, Serialize)]
pub(crate) struct ServerSnapshot {
    pub(crate) name: String,
    pub(crate) up: bool,
    /// Whether an operator has drained it.
    pub(crate) drained: bool,
    /// Whether it gets requests only while no other server is up.
    pub(crate) backup: bool,
    /// The share of what the policy would give it that it gets, because it fails more than others.
    pub(crate) trust: f64,
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

impl Snapshot {
    pub(crate) fn of(proxy: &ProxyState) -> Self {
        let active = proxy.active();
        let groups = active.groups.iter();
        Self {
            in_flight: proxy.in_flight(),
            connections: proxy.open.number(),
            stale: proxy.counts.is_stale(),
            groups: groups.map(|group| GroupSnapshot::of(group)).collect(),
        }
    }
}

impl GroupSnapshot {
    fn of(group: &Group) -> Self {
        let state = group.state.balancer.state();
        let servers = state.servers.iter();
        Self {
            name: group.config.name.to_string(),
            policy: group.config.policy.to_string(),
            waiting: state.waiting,
            messages: state.messages,
            messages_saved: state.messages_saved,
            tokens_received: state.tokens.received,
            tokens_ignored: state.tokens.ignored,
            servers: servers
                .filter_map(|server| ServerSnapshot::of(group, server))
                .collect(),
        }
    }
}

impl ServerSnapshot {
    /// None if the server has just left.
    fn of(group: &Group, server: &ServerState<ServerKey>) -> Option<Self> {
        let upstream = group.state.server(&server.key)?;
        let counts = &upstream.health.counts;
        Some(Self {
            name: server.key.to_string(),
            up: server.up,
            drained: upstream.health.is_drained(),
            backup: upstream.backup,
            trust: server.trust,
            token: server.token,
            outstanding: server.outstanding,
            limit: server.limit,
            speed: server.speed,
            served: server.served,
            failed: server.failed,
            checks_passed: counts.passed.get(),
            checks_failed: counts.missed.get(),
        })
    }
}
