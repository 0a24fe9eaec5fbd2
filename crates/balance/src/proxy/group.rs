use std::sync::Arc;

use super::config::{GroupConfig, ServerConfig};
use super::group_state::GroupState;
use super::tls;
use super::upstream::Upstream;

/// A group as one configuration describes it.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) config: GroupConfig,
    pub(crate) state: Arc<GroupState>,
    pub(crate) servers: Vec<Arc<Upstream>>,
}

impl Group {
    /// The group after a reload, or the first of its name. The state of `before` is kept, unless
    /// the policy, the source of speeds or the meaning of statuses is another: then nothing is
    /// known about queues and speeds.
    pub(crate) fn new(config: GroupConfig, before: Option<&Group>) -> Result<Self, String> {
        let same_policy = |before: &&Group| {
            before.config.policy == config.policy
                && before.config.learned == config.learned
                && before.config.failing == config.failing
        };
        let state = match before.filter(same_policy) {
            Some(before) => Arc::clone(&before.state),
            None => {
                let counts = before.map(|before| Arc::clone(&before.state.counts));
                Arc::new(GroupState::new(&config, counts.unwrap_or_default())?)
            }
        };
        let authorities = match config.tls.as_ref().and_then(|tls| tls.ca.as_ref()) {
            Some(path) => Some(tls::authorities(path)?),
            None => None,
        };
        let upstream = |server: &ServerConfig| {
            let known = before.and_then(|before| before.state.server(&server.name));
            let health = known.map_or_else(Arc::default, |known| Arc::clone(&known.health));
            Arc::new(Upstream::new(&config, server, authorities.clone(), health))
        };
        let servers = config.servers.iter().map(upstream).collect();
        Ok(Self {
            config,
            state,
            servers,
        })
    }

    /// Sends requests to the servers of this configuration from now on.
    pub(crate) fn install(&self) {
        self.state.install(&self.config, &self.servers);
    }

    /// Forgets servers that this configuration does not have.
    pub(crate) fn forget_others(&self) {
        self.state.forget_others(&self.servers);
    }
}
