use filch_random::{Purpose, Seed};
use filch_workload::{ArrivalTimes, ServiceTime};
use rand::RngExt;

use super::departures::{Departure, Departures};
use super::front::Front;
use super::outcome::Outcome;

const ARRIVALS: Purpose = Purpose::named("arrivals");
const ENTRIES: Purpose = Purpose::named("entries");
const SERVICE: Purpose = Purpose::named("service");

/// With more requests than this at the servers, a run stops unless it is told otherwise: the policy does not keep
/// up, or nothing could.
pub const MOST_PRESENT: usize = 100_000;

/// The servers and what arrives.
#[derive(Clone, Debug, PartialEq)]
pub struct Fleet {
    servers: Vec<ServiceTime>,
    arrivals: ArrivalTimes,
}

impl Fleet {
    /// These servers under these arrivals, in the same unit of time.
    pub fn of(servers: Vec<ServiceTime>, arrivals: ArrivalTimes) -> Self {
        Self { servers, arrivals }
    }

    /// The servers.
    pub fn servers(&self) -> &[ServiceTime] {
        &self.servers
    }

    /// What arrives.
    pub fn arrivals(&self) -> ArrivalTimes {
        self.arrivals
    }

    /// Requests per unit of time that the servers can serve together.
    pub fn capacity(&self) -> f64 {
        self.servers.iter().map(ServiceTime::speed).sum()
    }
}

/// How long a run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Length {
    /// Requests arrive until then.
    pub until: f64,
    /// Those that arrive before this do not count: they find servers that were idle at the start.
    pub warm_up: f64,
    /// With more requests than this at the servers the run stops.
    pub most_present: usize,
}

impl Length {
    /// Arrivals until `until`, all of which count.
    pub const fn of(until: f64) -> Self {
        Self {
            until,
            warm_up: 0.0,
            most_present: MOST_PRESENT,
        }
    }
}

/// One server.
struct Server {
    law: ServiceTime,
    rng: filch_random::Stream,
    /// When it will have served all that is there now.
    free: f64,
    present: u32,
}

/// Runs `fleet` behind the dispatchers `fronts`, all servers idle at first.
///
/// # Panics
///
/// If there are no dispatchers, or one names a server that is not there.
pub fn simulate<F: Front>(
    fleet: &Fleet,
    mut fronts: Vec<F>,
    length: Length,
    seed: Seed,
    replication: u64,
) -> Outcome {
    let server = |(index, &law): (usize, &ServiceTime)| Server {
        law,
        rng: seed.stream(SERVICE, replication, index as u64),
        free: 0.0,
        present: 0,
    };
    let mut servers: Vec<_> = fleet.servers.iter().enumerate().map(server).collect();
    let mut entries = seed.stream(ENTRIES, replication, 0);
    let mut there = Departures::new();
    let mut number = 0;
    let mut outcome = Outcome {
        latencies: Vec::new(),
        sent: vec![0; servers.len()],
        tokens: 0,
        ended: None,
    };
    let instants = fleet
        .arrivals
        .instants(seed.stream(ARRIVALS, replication, 0));
    for now in instants.take_while(|&instant| instant < length.until) {
        while let Some(left) = there.by(now) {
            let server = &mut servers[left.server];
            server.present -= 1;
            let idle = server.present == 0;
            outcome.tokens += u64::from(idle);
            fronts[left.dispatcher].answered(left.server, left.lease, idle, left.at);
        }
        if there.len() > length.most_present {
            outcome.ended = Some(now);
            break;
        }
        let dispatcher = entries.random_range(0..fronts.len());
        for _ in 0..fleet.arrivals.batch() {
            let (at, lease) = fronts[dispatcher].send(now);
            let server = &mut servers[at];
            server.present += 1;
            server.free = server.free.max(now) + server.law.sample(&mut server.rng);
            if now >= length.warm_up {
                outcome.latencies.push(server.free - now);
                outcome.sent[at] += 1;
            }
            there.push(Departure {
                at: server.free,
                number,
                server: at,
                dispatcher,
                lease,
            });
            number += 1;
        }
    }
    outcome
}
