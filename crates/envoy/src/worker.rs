//! A cluster as one worker thread sees it, and the decisions of that thread.

use std::rc::Rc;
use std::sync::Arc;

use filch_balance::{Lease, Refused};
use filch_random::{Purpose, Seed, Stream};

use crate::cluster::Cluster;
use crate::handoff::{self, Handed};
use crate::host::Host;
use crate::level::Level;
use crate::local::Local;
use crate::priority::Shares;
use crate::seen::SeenPriority;
use crate::unclaimed::HostCounts;

/// A worker's balancer. Envoy makes one for each worker thread and each cluster.
#[derive(Debug)]
pub struct Worker {
    local: Rc<Local>,
    priorities: Vec<Priority>,
    shares: Shares,
    rng: Stream,
}

#[derive(Debug)]
struct Priority {
    level: Arc<Level>,
    hosts: Vec<Host>,
    /// By the host's id.
    places: Vec<Place>,
}

/// Where a host is in Envoy's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    healthy: u32,
    all: u32,
}

const NOWHERE: Place = Place {
    healthy: u32::MAX,
    all: u32::MAX,
};

/// Where a request goes, in Envoy's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The priority.
    pub priority: u32,
    /// The number among the healthy hosts of the priority.
    pub index: u32,
}

/// What Envoy says about the request that is to be sent.
pub trait Request {
    /// How often another host may be asked for.
    fn retries(&self) -> u32;

    /// Whether the request is not to go to this host of all hosts of the priority.
    fn avoids(&self, priority: u32, index: usize) -> bool;
}

/// A request that may go anywhere.
impl Request for () {
    fn retries(&self) -> u32 {
        0
    }

    fn avoids(&self, _: u32, _: usize) -> bool {
        false
    }
}

impl Worker {
    /// A worker that sees no servers yet.
    pub fn new(cluster: Arc<Cluster>, seed: Seed) -> Self {
        Self {
            local: Rc::new(Local::new(cluster)),
            priorities: Vec::new(),
            shares: Shares::default(),
            rng: seed.stream(Purpose::named("priority"), 0, 0),
        }
    }

    /// The cluster.
    pub fn cluster(&self) -> &Arc<Cluster> {
        self.local.cluster()
    }

    /// The worker sees these servers now.
    pub fn see(&mut self, priorities: &[SeenPriority]) {
        let cluster = self.local.cluster();
        for priority in self.priorities.len()..priorities.len() {
            self.priorities.push(Priority {
                level: cluster.level(priority),
                hosts: Vec::new(),
                places: Vec::new(),
            });
        }
        let memory = cluster.memory();
        for (at, priority) in self.priorities.iter_mut().enumerate() {
            let now = priorities.get(at).map_or(&[][..], Vec::as_slice);
            let hosts = priority.level.see(&priority.hosts, now, memory);
            let most = hosts.iter().map(|host| host.id() as usize + 1).max();
            priority.places = vec![NOWHERE; most.unwrap_or(0)];
            for (all, (host, seen)) in hosts.iter().zip(now).enumerate() {
                priority.places[host.id() as usize] = Place {
                    healthy: seen.healthy.unwrap_or(u32::MAX),
                    all: all as u32,
                };
            }
            priority.hosts = hosts;
        }
        self.shares = Shares::of(priorities.iter().map(|hosts| {
            let healthy = hosts.iter().filter(|it| it.healthy.is_some()).count();
            (healthy, hosts.len())
        }));
        cluster.set_front(self.shares.first());
    }

    /// Decides where a request goes, and hands its lease to the filter that is made next.
    ///
    /// # Errors
    ///
    /// If no server may be chosen.
    pub fn choose(&mut self, request: &impl Request) -> Result<Choice, Refused> {
        if let Some((priority, lease)) = self.reserved() {
            return Ok(self.hand(priority, lease));
        }
        let at = self.shares.choose(&mut self.rng).ok_or(Refused::AllDown)?;
        let lease = self.priorities[at].level.balancer().lease()?;
        let retries = request.retries();
        let place = self.place(at, lease.server());
        let elsewhere = place.healthy == u32::MAX;
        if elsewhere || (retries > 0 && request.avoids(at as u32, place.all as usize)) {
            let lease = self.decide_again(at, lease, retries, request)?;
            return Ok(self.hand(at, lease));
        }
        Ok(self.hand(at, lease))
    }

    #[inline]
    fn hand(&self, priority: usize, lease: Lease<Host>) -> Choice {
        let index = self.place(priority, lease.server()).healthy;
        handoff::hand(Handed {
            local: self.local.clone(),
            priority,
            lease,
        });
        Choice {
            priority: priority as u32,
            index,
        }
    }

    /// The lease that the queue has reserved for this decision, if its server is here.
    #[inline]
    fn reserved(&self) -> Option<(usize, Lease<Host>)> {
        let (priority, lease) = handoff::reserved(self.cluster())?;
        if self.place(priority, lease.server()).healthy == u32::MAX {
            lease.unsent();
            return None;
        }
        Some((priority, lease))
    }

    /// Decides again: either Envoy wants another host than that of `lease`, or this worker has not
    /// heard yet of a server that other workers see.
    #[cold]
    fn decide_again(
        &self,
        at: usize,
        mut lease: Lease<Host>,
        mut retries: u32,
        request: &impl Request,
    ) -> Result<Lease<Host>, Refused> {
        let balancer = self.priorities[at].level.balancer();
        let mut tried = Vec::new();
        loop {
            if self.place(at, lease.server()).healthy != u32::MAX {
                retries -= 1;
            }
            tried.push(lease.server().clone());
            lease.unsent();
            lease = match balancer.lease_avoiding(&tried) {
                // The last host is as good as any other if all are to be avoided.
                Err(Refused::AllTried) if retries > 0 => {
                    retries = 0;
                    tried.retain(|host| self.place(at, host).healthy == u32::MAX);
                    balancer.lease_avoiding(&tried)
                }
                other => other,
            }?;
            let place = self.place(at, lease.server());
            let elsewhere = place.healthy == u32::MAX;
            let avoided = || retries > 0 && request.avoids(at as u32, place.all as usize);
            if !elsewhere && !avoided() {
                return Ok(lease);
            }
        }
    }

    /// Ends leases of requests that no filter watches, by Envoy's counts of hosts. It comes before
    /// each decision: if all servers are at their limits, no other lease takes the place of the
    /// last one that this thread has handed out, and that one may be what keeps a server there.
    pub fn settle(&self, counts: impl Fn(u32, usize) -> HostCounts) {
        handoff::set_aside();
        self.cluster().unclaimed.settle(|priority, host| {
            let place = self.place(priority, host);
            (place != NOWHERE).then(|| counts(priority as u32, place.all as usize))
        });
    }

    /// How many servers the worker sees, and how many of them are healthy.
    pub fn servers(&self) -> (usize, usize) {
        let all = self.priorities.iter().map(|it| it.hosts.len()).sum();
        let places = self.priorities.iter().flat_map(|it| &it.places);
        (all, places.filter(|it| it.healthy != u32::MAX).count())
    }

    fn place(&self, priority: usize, host: &Host) -> Place {
        let found = self
            .priorities
            .get(priority)
            .and_then(|it| it.places.get(host.id() as usize));
        found.copied().unwrap_or(NOWHERE)
    }
}

/// The worker sees no servers any more.
impl Drop for Worker {
    fn drop(&mut self) {
        let memory = self.cluster().memory();
        for priority in &self.priorities {
            priority.level.see(&priority.hosts, &[], memory);
        }
    }
}
