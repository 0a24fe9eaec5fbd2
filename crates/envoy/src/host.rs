//! A server, as the balancer and the worker threads know it.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A server of one priority of a cluster. Clones are the same server.
#[derive(Clone, Debug)]
pub struct Host(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    id: u32,
    address: Box<str>,
}

impl Host {
    pub(crate) fn new(id: u32, address: &str) -> Self {
        let address = address.into();
        Self(Arc::new(Inner { id, address }))
    }

    /// Its number, which no other server of the priority has at the same time. Numbers are small:
    /// a worker finds its place of a host in a vector.
    pub fn id(&self) -> u32 {
        self.0.id
    }

    /// Its address, as Envoy writes it.
    pub fn address(&self) -> &str {
        &self.0.address
    }
}

impl PartialEq for Host {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Host {}

impl Hash for Host {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.id.hash(state);
    }
}
