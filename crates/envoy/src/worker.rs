//! A cluster as one worker thread sees it, and the decisions of that thread.

use std::rc::Rc;
use std::sync::Arc;

use filch_balance::{Refused, Sent};
use filch_random::{Purpose, Seed, Stream};

use crate::cluster::Cluster;
use crate::handoff::{self, Handed};
use crate::host::Host;
use crate::local::{Local, Place};
use crate::priority::Shares;
use crate::seen::SeenPriority;
use crate::unclaimed::HostCounts;

/// A worker's balancer. Envoy makes one for each worker thread and each cluster.
#[derive(Debug)]
pub struct Worker {
    priorities: Vec<Priority>,
    shares: Shares,
    /// How many decisions may still be made before leases are looked for that no filter watches.
    unsettled_in: u32,
    cluster: Arc<Cluster>,
    rng: Stream,
}

#[derive(Debug)]
struct Priority {
    local: Rc<Local>,
    hosts: Vec<Host>,
}

/// Once filters take this thread's leases and no other is left, every so many decisions see
/// whether that is still so: another thread may have added one while the first filter was made.
const SETTLED: u32 = 256;

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
            priorities: Vec::new(),
            shares: Shares::default(),
            unsettled_in: 0,
            cluster,
            rng: seed.stream(Purpose::named("priority"), 0, 0),
        }
    }

    /// The cluster.
    pub fn cluster(&self) -> &Arc<Cluster> {
        &self.cluster
    }

    /// The worker sees these servers now.
    pub fn see(&mut self, priorities: &[SeenPriority]) {
        let cluster = &self.cluster;
        for priority in self.priorities.len()..priorities.len() {
            self.priorities.push(Priority {
                local: Rc::new(Local::new(cluster.clone(), priority)),
                hosts: Vec::new(),
            });
        }
        let memory = cluster.memory();
        for (at, priority) in self.priorities.iter_mut().enumerate() {
            let now = priorities.get(at).map_or(&[][..], Vec::as_slice);
            let hosts = priority.local.level().see(&priority.hosts, now, memory);
            let seen = hosts.iter().cloned().zip(now);
            priority
                .local
                .see(seen.map(|(host, it)| (host, it.healthy)));
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
    #[inline]
    pub fn choose(&mut self, request: &impl Request) -> Result<Choice, Refused> {
        if let Some((priority, index, sent)) = self.reserved() {
            return Ok(self.hand(priority, index, sent));
        }
        let at = self.shares.choose(&mut self.rng).ok_or(Refused::AllDown)?;
        let local = &self.priorities[at].local;
        let sent = local.balancer().send()?;
        let may_go = |place: &(u32, u32)| {
            place.0 != Place::NONE && !request.avoids(at as u32, place.1 as usize)
        };
        if let Some((index, _)) = local.place(sent.server()).filter(may_go) {
            return Ok(self.hand(at, index, sent));
        }
        let (index, sent) = self.decide_again(at, sent, request)?;
        Ok(self.hand(at, index, sent))
    }

    /// Hands the lease over where it has been decided, so that it is not moved in between.
    #[inline(always)]
    fn hand(&self, priority: usize, index: u32, sent: Sent) -> Choice {
        let local = self.priorities[priority].local.clone();
        handoff::hand(Handed::new(local, sent));
        Choice {
            priority: priority as u32,
            index,
        }
    }

    /// The lease that the queue has reserved for this decision, if its server is here, and the
    /// server's number among the healthy hosts.
    #[inline]
    fn reserved(&self) -> Option<(usize, u32, Sent)> {
        let (priority, lease) = handoff::reserved(self.cluster())?;
        let local = self.priorities.get(priority).map(|it| &it.local);
        let Some(index) = local.and_then(|it| it.healthy(lease.number())) else {
            lease.unsent();
            return None;
        };
        Some((priority, index, lease.into_sent()))
    }

    /// Decides again: either Envoy wants another host than the one that the request was sent to, or
    /// this worker has not heard yet of a server that other workers see.
    #[cold]
    fn decide_again(
        &self,
        at: usize,
        sent: Sent,
        request: &impl Request,
    ) -> Result<(u32, Sent), Refused> {
        let local = &self.priorities[at].local;
        let balancer = local.balancer();
        let mut retries = request.retries();
        let mut tried = Vec::new();
        let mut lease = match balancer.lease_of(sent) {
            Some(lease) => lease,
            None => balancer.lease()?, // the server has left meanwhile
        };
        loop {
            let place = local.place(lease.number());
            if let Some((healthy, all)) = place.filter(|&(healthy, _)| healthy != Place::NONE) {
                if retries == 0 || !request.avoids(at as u32, all as usize) {
                    return Ok((healthy, lease.into_sent()));
                }
                retries -= 1;
            }
            tried.push(lease.server().clone());
            lease.unsent();
            lease = match balancer.lease_avoiding(&tried) {
                // The last host is as good as any other if all are to be avoided.
                Err(Refused::AllTried) if retries > 0 => {
                    retries = 0;
                    tried.retain(|host| !self.has_healthy(at, host));
                    balancer.lease_avoiding(&tried)
                }
                other => other,
            }?;
        }
    }

    /// Whether this worker sees the server, and sees it healthy.
    fn has_healthy(&self, at: usize, host: &Host) -> bool {
        let local = &self.priorities[at].local;
        let number = local.balancer().number_of(host);
        number.and_then(|it| local.healthy(it)).is_some()
    }

    /// Ends leases of requests that no filter watches, by Envoy's counts of hosts. It comes before
    /// each decision: if all servers are at their limits, no other lease takes the place of the
    /// last one that this thread has handed out, and that one may be what keeps a server there.
    #[inline]
    pub fn settle(&mut self, counts: impl Fn(u32, usize) -> HostCounts) {
        handoff::set_aside();
        if self.unsettled_in > 0 {
            self.unsettled_in -= 1;
        } else {
            self.settle_unclaimed(counts);
        }
    }

    fn settle_unclaimed(&mut self, counts: impl Fn(u32, usize) -> HostCounts) {
        let none_is_left = self.cluster.unclaimed.settle(|priority, server| {
            let (_, all) = self.priorities.get(priority)?.local.place(server)?;
            Some(counts(priority as u32, all as usize))
        });
        if none_is_left && self.priorities.iter().any(|it| it.local.has_filter()) {
            self.unsettled_in = SETTLED;
        }
    }

    /// How many servers the worker sees, and how many of them are healthy.
    pub fn servers(&self) -> (usize, usize) {
        let all = self.priorities.iter().map(|it| it.hosts.len()).sum();
        let healthy = self.priorities.iter().map(|it| it.local.healthy_hosts());
        (all, healthy.sum())
    }
}

/// The worker sees no servers any more.
impl Drop for Worker {
    fn drop(&mut self) {
        let memory = self.cluster().memory();
        for priority in &self.priorities {
            priority.local.level().see(&priority.hosts, &[], memory);
        }
    }
}
