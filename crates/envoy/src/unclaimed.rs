//! Leases that no filter took.
//!
//! With the filter in the cluster's chain, these are decisions that came to nothing: the request
//! was never sent, and the lease is given back as unsent.
//!
//! Without the filter they are all leases, and when a request ends must be read off Envoy's counts:
//! a host has finished as many requests as it was sent, less those under way. Leases end first in,
//! first out, and late: when a later decision looks at the host. What is lost is the order in which
//! requests end, the tokens of servers, and the speeds, of which nothing is learned.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use filch_balance::{Lease, Outcome, Told};

use crate::abi::log;
use crate::host::Host;
use crate::poison::unpoisoned;

/// How many hosts a decision looks at.
const LOOKS: usize = 8;
/// A request that has waited for a connection for longer than this is not waiting any more.
const LOST: Duration = Duration::from_secs(5);
/// After so many leases that no filter took, the log says that there is none.
const TELLING: usize = 64;

/// Envoy's counts of one host.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostCounts {
    /// Requests that were sent.
    pub total: u64,
    /// Requests that are under way.
    pub active: u64,
}

/// The leases of one cluster that no filter took.
#[derive(Debug, Default)]
pub(crate) struct Unclaimed {
    there_is_a_filter: AtomicBool,
    leases: AtomicUsize,
    ledgers: Mutex<Ledgers>,
}

#[derive(Debug, Default)]
struct Ledgers {
    of_hosts: Vec<Ledger>,
    /// Where a host's ledger is, by priority and number.
    places: HashMap<(usize, u32), usize>,
    cursor: usize,
    added: usize,
}

#[derive(Debug)]
struct Ledger {
    host: Host,
    priority: usize,
    /// The host's number in the dispatcher.
    server: u32,
    leases: VecDeque<(Lease<Host>, Instant)>,
    /// How many requests had finished when we last looked.
    finished: u64,
}

impl Unclaimed {
    pub(crate) fn a_filter_claims(&self) {
        // Ordering: a hint that guards no data. A lease that misses it is settled by counts.
        if !self.there_is_a_filter.load(Ordering::Relaxed) {
            self.there_is_a_filter.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn add(&self, priority: usize, lease: Lease<Host>) {
        // Ordering: as above.
        if self.there_is_a_filter.load(Ordering::Relaxed) {
            return lease.unsent();
        }
        let mut ledgers = unpoisoned(self.ledgers.lock());
        ledgers.added += 1;
        if ledgers.added == TELLING {
            log::warn(
                "no HTTP filter of this module is in the cluster's chain: the ends of requests are \
                 read off Envoy's counts, and servers' tokens are not seen",
            );
        }
        let (host, server) = (lease.server().clone(), lease.number());
        let entry = (lease, Instant::now());
        let place = ledgers.of_hosts.len();
        let place = *ledgers.places.entry((priority, server)).or_insert(place);
        if place == ledgers.of_hosts.len() {
            ledgers
                .of_hosts
                .push(Ledger::new(host.clone(), priority, server));
        }
        let ledger = &mut ledgers.of_hosts[place];
        if ledger.host != host {
            // The server that had this number has left, and with it all that its leases were for.
            *ledger = Ledger::new(host, priority, server);
        }
        ledger.leases.push_back(entry);
        drop(ledgers);
        self.leases.fetch_add(1, Ordering::Relaxed);
    }

    /// Ends leases by what Envoy counts of a few hosts. `counts` gives none of a host that the
    /// asking worker does not see. Returns whether no lease was there.
    pub(crate) fn settle(&self, counts: impl Fn(usize, u32) -> Option<HostCounts>) -> bool {
        // Ordering: a hint. A lease that is added just now is settled by a later decision.
        if self.leases.load(Ordering::Relaxed) == 0 {
            return true;
        }
        let mut ended = Vec::new();
        let mut guard = unpoisoned(self.ledgers.lock());
        let ledgers = &mut *guard;
        for _ in 0..LOOKS.min(ledgers.of_hosts.len()) {
            ledgers.cursor = (ledgers.cursor + 1) % ledgers.of_hosts.len();
            let ledger = &mut ledgers.of_hosts[ledgers.cursor];
            match counts(ledger.priority, ledger.server) {
                Some(counts) => ledger.settle(counts, &mut ended),
                None => ended.extend(ledger.drain_lost()),
            }
        }
        drop(guard);
        self.leases.fetch_sub(ended.len(), Ordering::Relaxed);
        for (lease, answered) in ended {
            if answered {
                lease.ended(Outcome::Neutral, Told::Silent);
            }
        }
        false
    }
}

impl Ledger {
    fn new(host: Host, priority: usize, server: u32) -> Self {
        Self {
            host,
            priority,
            server,
            leases: VecDeque::new(),
            finished: 0,
        }
    }

    fn settle(&mut self, counts: HostCounts, ended: &mut Vec<(Lease<Host>, bool)>) {
        let finished = counts.total.saturating_sub(counts.active);
        // Envoy counts anew if the host was replaced by another with the same address.
        let new = finished.checked_sub(self.finished).unwrap_or(finished);
        self.finished = finished;
        for _ in 0..new {
            let Some((lease, _)) = self.leases.pop_front() else {
                break;
            };
            ended.push((lease, true));
        }
        // What never reached a connection is in none of the counts.
        while self.leases.len() as u64 > counts.active {
            match self.leases.front() {
                Some((_, at)) if at.elapsed() > LOST => {}
                _ => break,
            }
            ended.extend(self.leases.pop_front().map(|(lease, _)| (lease, false)));
        }
    }

    /// The leases of a server that has left.
    fn drain_lost(&mut self) -> Vec<(Lease<Host>, bool)> {
        let mut lost = Vec::new();
        while self
            .leases
            .front()
            .is_some_and(|(_, at)| at.elapsed() > LOST)
        {
            lost.extend(self.leases.pop_front().map(|(lease, _)| (lease, false)));
        }
        lost
    }
}
