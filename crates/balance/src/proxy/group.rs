use std::sync::Arc;

use tokio_rustls::rustls::sign::CertifiedKey;

use super::config::{GroupConfig, ServerConfig};
use super::group_state::GroupState;
use super::servers::{Connector, Pool, Upstream};
use super::tls;

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
    /// known about queues and speeds. There are so many workers, each of which has connections of
    /// its own to the servers.
    pub(crate) fn new(
        config: GroupConfig,
        before: Option<&Group>,
        workers: usize,
    ) -> Result<Self, String> {
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
        let tls = config.tls.as_ref();
        let connector = Arc::new(Connector {
            protocol: config.protocol,
            tls: tls
                .map(|tls| tls::to_servers(tls, config.protocol))
                .transpose()?,
        });
        let upstream = |server: &ServerConfig| {
            let known = before.and_then(|before| before.state.server(&server.name));
            // Connections that were made in the same way stay in use.
            let pools = known
                .as_ref()
                .filter(|known| known.connector.connects_like(&connector));
            let pools = pools.map_or_else(
                || (0..workers).map(|_| Pool::default()).collect(),
                |known| Arc::clone(&known.pools),
            );
            let health = known.map_or_else(Arc::default, |known| Arc::clone(&known.health));
            let connector = Arc::clone(&connector);
            Arc::new(Upstream::new(&config, server, connector, pools, health))
        };
        let servers = config.servers.iter().map(upstream).collect();
        Ok(Self {
            config,
            state,
            servers,
        })
    }

    /// Whether this certificate is shown to the servers.
    pub(crate) fn shows(&self, pair: &CertifiedKey) -> bool {
        let secured = self.servers.first().map(|server| &server.connector.tls);
        matches!(secured, Some(Some(secured)) if secured.shows(pair))
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
