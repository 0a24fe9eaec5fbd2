use std::sync::{Arc, RwLock};

use super::connector::Connector;
use super::pool::Pool;
use crate::poison::unpoisoned;
use crate::proxy::config::{Address, GroupConfig, ServerConfig, Timeouts};
use crate::proxy::group_state::ServerKey;
use crate::proxy::server_health::ServerHealth;
use crate::proxy::stickiness;

/// A server as one configuration describes it, and how to connect to it.
#[derive(Debug)]
pub(crate) struct Upstream {
    pub(crate) name: ServerKey,
    pub(crate) health: Arc<ServerHealth>,
    /// Whether it gets requests only while no other server is up.
    pub(crate) backup: bool,
    /// Whether it is known by a name, whose address may change.
    pub(crate) has_name: bool,
    /// What cookies call it.
    pub(crate) tag: u64,
    pub(crate) weight: f64,
    pub(crate) timeouts: Timeouts,
    pub(crate) connector: Arc<Connector>,
    /// The connections that wait for requests, for each worker.
    pub(crate) pools: Arc<[Pool]>,
    address: RwLock<Address>,
}

impl Upstream {
    pub(crate) fn new(
        group: &GroupConfig,
        server: &ServerConfig,
        connector: Arc<Connector>,
        pools: Arc<[Pool]>,
        health: Arc<ServerHealth>,
    ) -> Self {
        Self {
            name: Arc::clone(&server.name),
            health,
            backup: server.backup,
            has_name: server.has_name,
            tag: stickiness::tag(&server.name),
            weight: server.weight.unwrap_or(1.0),
            timeouts: group.timeouts,
            connector,
            pools,
            address: RwLock::new(server.address.clone()),
        }
    }

    pub(crate) fn address(&self) -> Address {
        unpoisoned(self.address.read()).clone()
    }

    /// The server is at another address now.
    pub(crate) fn move_to(&self, address: Address) {
        *unpoisoned(self.address.write()) = address;
    }
}
