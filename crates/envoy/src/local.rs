//! What the balancer of one worker thread shares with the filters of its requests.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use filch_balance::Balancer;

use crate::address::Address;
use crate::cluster::Cluster;
use crate::host::Host;
use crate::level::Level;
use crate::tally::Tally;

/// One priority of a cluster, as the leases of one worker thread know it. It stays on that thread,
/// so that counting its users takes no atomic operation.
#[derive(Debug)]
pub struct Local {
    balancer: Balancer<Host>,
    priority: u32,
    tokens: bool,
    has_filter: Cell<bool>,
    pub(crate) tally: Tally,
    places: RefCell<Vec<Place>>,
    cluster: Arc<Cluster>,
    level: Arc<Level>,
}

/// Where a server is in Envoy's lists, in one cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Place {
    /// Its number among the healthy hosts.
    healthy: u32,
    /// Its number among all hosts.
    all: u32,
    /// Its address, as Envoy writes it.
    address: Address,
}

impl Place {
    /// No number.
    pub(crate) const NONE: u32 = u32::MAX;

    fn nowhere() -> Self {
        Self {
            healthy: Self::NONE,
            all: Self::NONE,
            address: Address::new(b""),
        }
    }
}

impl Local {
    pub(crate) fn new(cluster: Arc<Cluster>, priority: usize) -> Self {
        let level = cluster.level(priority);
        Self {
            balancer: level.balancer().clone(),
            priority: priority as u32,
            tokens: cluster.config().tokens,
            has_filter: Cell::new(false),
            tally: Tally::default(),
            places: RefCell::default(),
            cluster,
            level,
        }
    }

    pub(crate) fn cluster(&self) -> &Arc<Cluster> {
        &self.cluster
    }

    pub(crate) fn level(&self) -> &Level {
        &self.level
    }

    /// The dispatcher.
    #[inline]
    pub(crate) fn balancer(&self) -> &Balancer<Host> {
        &self.balancer
    }

    #[inline]
    pub(crate) fn priority(&self) -> u32 {
        self.priority
    }

    /// Whether servers are believed when they say that they are idle.
    #[inline]
    pub(crate) fn tokens(&self) -> bool {
        self.tokens
    }

    /// Whether a filter has taken a lease.
    pub(crate) fn has_filter(&self) -> bool {
        self.has_filter.get()
    }

    #[inline]
    pub(crate) fn a_filter_claims(&self) {
        if !self.has_filter.replace(true) {
            self.cluster.unclaimed.a_filter_claims();
        }
    }

    /// This thread sees these servers now.
    ///
    /// A server is in the dispatcher, under its number, for as long as a thread sees it. So a
    /// number that is in this list is the same server's there.
    pub(crate) fn see(&self, servers: impl Iterator<Item = (Host, Option<u32>)>) {
        let mut places = self.places.borrow_mut();
        places.clear();
        for (all, (host, healthy)) in servers.enumerate() {
            let Some(number) = self.balancer.number_of(&host) else {
                continue;
            };
            let number = number as usize;
            if places.len() <= number {
                places.resize(number + 1, Place::nowhere());
            }
            places[number] = Place {
                healthy: healthy.unwrap_or(Place::NONE),
                all: all as u32,
                address: Address::new(host.address().as_bytes()),
            };
        }
    }

    /// The numbers of a server among the healthy hosts, which may be [`Place::NONE`], and among all
    /// of them; `None` if this thread does not see it.
    #[inline]
    pub(crate) fn place(&self, server: u32) -> Option<(u32, u32)> {
        let places = self.places.borrow();
        let place = places.get(server as usize)?;
        (place.all != Place::NONE).then_some((place.healthy, place.all))
    }

    /// The number of a server among the healthy hosts, if it is one.
    #[inline]
    pub(crate) fn healthy(&self, server: u32) -> Option<u32> {
        let (healthy, _) = self.place(server)?;
        (healthy != Place::NONE).then_some(healthy)
    }

    /// How many servers this thread sees healthy.
    pub(crate) fn healthy_hosts(&self) -> usize {
        let places = self.places.borrow();
        places.iter().filter(|it| it.healthy != Place::NONE).count()
    }

    /// Whether a server has this address.
    #[inline]
    pub(crate) fn is_at(&self, server: u32, address: &[u8]) -> bool {
        let places = self.places.borrow();
        let place = places.get(server as usize);
        place.is_some_and(|it| it.address.is(address) && it.all != Place::NONE)
    }
}
