//! The groups at work: what outlives a reload, and what a reload replaces.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use super::config;
use super::metrics::GroupCounts;
use super::queue::Queue;
use super::tls;
use super::upstream::Upstream;
use crate::{Balancer, Options, Server, Speeds};

/// Servers go by the address that the configuration has for them.
pub(crate) type Key = Arc<str>;

/// A group as one configuration describes it.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) said: config::Group,
    pub(crate) live: Arc<Live>,
    pub(crate) servers: Vec<Arc<Upstream>>,
}

/// What a group knows and what it has in hand. It passes from one configuration to the next.
pub(crate) struct Live {
    pub(crate) balancer: Balancer<Key>,
    pub(crate) queue: Queue,
    pub(crate) counts: Arc<GroupCounts>,
    servers: RwLock<HashMap<Key, Arc<Upstream>>>,
}

impl std::fmt::Debug for Live {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Live").finish_non_exhaustive()
    }
}

/// A balancer for this group, all of whose servers are idle; or what is wrong with its policy.
pub(crate) fn balancer(said: &config::Group) -> Result<Balancer<Key>, String> {
    let options = Options {
        speeds: if said.learned {
            Speeds::Learned
        } else {
            Speeds::Weights
        },
        ..Options::of(said.policy)
    };
    Balancer::new(options, servers(said)).map_err(|error| error.to_string())
}

fn servers(said: &config::Group) -> Vec<Server<Key>> {
    let server = |server: &config::Server| Server {
        key: Arc::clone(&server.name),
        weight: server.weight,
        limit: server.limit,
        tokens: server.tokens,
    };
    said.servers.iter().map(server).collect()
}

impl Group {
    /// The group after a reload, or the first of its name. What `before` knows is kept; only another
    /// policy, or another source of speeds, starts with nothing known about queues and speeds.
    pub(crate) fn new(said: config::Group, before: Option<&Group>) -> Result<Self, String> {
        let same_policy = |before: &&Group| {
            before.said.policy == said.policy && before.said.learned == said.learned
        };
        let live = match before.filter(same_policy) {
            Some(before) => Arc::clone(&before.live),
            None => Arc::new(Live {
                balancer: balancer(&said)?,
                queue: Queue::default(),
                counts: before.map_or_else(Arc::default, |before| Arc::clone(&before.live.counts)),
                servers: RwLock::default(),
            }),
        };
        let authorities = match said.tls.as_ref().and_then(|tls| tls.ca.as_ref()) {
            Some(path) => Some(tls::authorities(path)?),
            None => None,
        };
        let upstream = |server: &config::Server| {
            let known = before.and_then(|before| before.live.server(&server.name));
            let standing = known.map_or_else(Arc::default, |known| Arc::clone(&known.standing));
            Arc::new(Upstream::new(&said, server, authorities.clone(), standing))
        };
        let servers = said.servers.iter().map(upstream).collect();
        Ok(Self {
            said,
            live,
            servers,
        })
    }

    /// Makes the servers of this configuration those that are dispatched to. Nothing can fail here:
    /// it runs once all of a new configuration is known to be good.
    pub(crate) fn install(&self) {
        // First those who can be chosen become known, then they can be chosen.
        for server in &self.servers {
            self.live
                .write()
                .insert(Arc::clone(&server.name), Arc::clone(server));
        }
        let updated = self.live.balancer.update(servers(&self.said));
        debug_assert!(updated.is_ok(), "the configuration was checked");
        for server in &self.servers {
            server.standing.settle(&self.live, &server.name);
        }
        self.live.queue.wake();
    }

    /// Forgets servers that this configuration does not have. Requests that are with them have what they
    /// need.
    pub(crate) fn forget_others(&self) {
        let mut servers = self.live.write();
        servers.retain(|key, known| {
            let stays = self.servers.iter().any(|server| server.name == *key);
            if !stays {
                known.standing.leave();
            }
            stays
        });
    }
}

impl Live {
    pub(crate) fn server(&self, key: &str) -> Option<Arc<Upstream>> {
        let servers = self.servers.read().unwrap_or_else(PoisonError::into_inner);
        servers.get(key).cloned()
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, HashMap<Key, Arc<Upstream>>> {
        self.servers.write().unwrap_or_else(PoisonError::into_inner)
    }
}
