//! The servers of one priority, shared by all worker threads.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use filch_balance::{Balancer, Samples, Server};

use crate::config::Config;
use crate::host::Host;
use crate::memory::Memory;
use crate::poison::unpoisoned;
use crate::seen::SeenHost;

/// One priority of a cluster.
///
/// Each worker thread hears of changes on its own, some milliseconds before or after the others. So
/// a server is here from when the first worker sees it until no worker does: whatever the order in
/// which workers hear of changes, no server leaves and returns because of it.
#[derive(Debug)]
pub struct Level {
    balancer: Balancer<Host>,
    tokens: bool,
    limit: Option<u32>,
    members: Mutex<Members>,
}

#[derive(Debug, Default)]
struct Members {
    by_address: HashMap<Box<str>, Member>,
    vacant: Vec<u32>,
    numbers: u32,
}

#[derive(Debug)]
struct Member {
    host: Host,
    /// How many workers see it.
    seen_by: usize,
    weight: u32,
}

impl Level {
    pub(crate) fn new(config: &Config) -> Self {
        let balancer = Balancer::new(config.options(), []).expect("there are no servers yet");
        Self {
            balancer,
            tokens: config.tokens,
            limit: config.limit,
            members: Mutex::default(),
        }
    }

    /// The dispatcher.
    pub fn balancer(&self) -> &Balancer<Host> {
        &self.balancer
    }

    /// A worker saw `before` and now sees `now`. Returns its servers in the order of `now`.
    pub(crate) fn see(&self, before: &[Host], now: &[SeenHost], memory: &Memory) -> Vec<Host> {
        let mut members = self.members();
        let hosts = now.iter().map(|seen| {
            let host = self.enter(&mut members, seen, memory);
            self.balancer.set_up(&host, seen.healthy.is_some());
            host
        });
        let hosts = hosts.collect();
        for host in before {
            self.depart(&mut members, host, memory);
        }
        hosts
    }

    fn enter(&self, members: &mut Members, seen: &SeenHost, memory: &Memory) -> Host {
        if let Some(member) = members.by_address.get_mut(&*seen.address) {
            member.seen_by += 1;
            if member.weight != seen.weight {
                member.weight = seen.weight;
                self.configure(&member.host, seen.weight);
            }
            return member.host.clone();
        }
        let id = members.vacant.pop().unwrap_or_else(|| {
            members.numbers += 1;
            members.numbers - 1
        });
        let host = Host::new(id, &seen.address);
        self.configure(&host, seen.weight);
        if let Some(samples) = memory.recall(&seen.address) {
            self.balancer.restore(&host, samples);
        }
        let member = Member {
            host: host.clone(),
            seen_by: 1,
            weight: seen.weight,
        };
        members
            .by_address
            .insert(seen.address.as_str().into(), member);
        host
    }

    fn configure(&self, host: &Host, weight: u32) {
        let server = Server {
            key: host.clone(),
            weight: Some(f64::from(weight.max(1))),
            limit: self.limit,
            tokens: self.tokens,
        };
        let configured = self.balancer.insert(server);
        configured.expect("a weight of at least 1, and no limit of 0");
    }

    fn depart(&self, members: &mut Members, host: &Host, memory: &Memory) {
        let Some(member) = members.by_address.get_mut(host.address()) else {
            return;
        };
        member.seen_by -= 1;
        if member.seen_by > 0 {
            return;
        }
        members.by_address.remove(host.address());
        if let Some(samples) = self.balancer.samples_of(host) {
            memory.keep(host.address(), samples);
        }
        self.balancer.remove(host);
        members.vacant.push(host.id());
    }

    /// What was learned about the servers, by address.
    pub(crate) fn learned(&self) -> Vec<(String, Samples)> {
        let samples = self.balancer.samples().into_iter();
        samples
            .map(|(host, it)| (host.address().to_owned(), it))
            .collect()
    }

    fn members(&self) -> MutexGuard<'_, Members> {
        unpoisoned(self.members.lock())
    }
}
