use filch_random::{Seed, Stream};
use filch_workload::streams::{ARRIVALS, ENTRIES, SERVICE};
use filch_workload::{ArrivalTimes, ArriveInTime, ServiceLaw, ServiceTime};
use rand::RngExt;

use super::departures::{Departure, Departures};
use super::front::Front;
use super::outcome::FleetOutcome;

/// With more requests than this at the servers a run stops, unless its [`Horizon`] says otherwise:
/// the queues grow without bound.
pub const MOST_PRESENT: usize = 100_000;

/// The servers and what arrives.
///
/// Service times have names ([`ServiceTime`]) or follow a [`ServiceLaw`] of your own; arrivals are
/// [`ArrivalTimes`] or an [`ArriveInTime`] of your own.
#[derive(Clone, Debug, PartialEq)]
pub struct Fleet<S = ServiceTime, A = ArrivalTimes> {
    servers: Vec<S>,
    arrivals: A,
}

impl<S: ServiceLaw + Clone, A: ArriveInTime + Clone> Fleet<S, A> {
    /// These servers under these arrivals, in the same unit of time.
    pub fn of(servers: Vec<S>, arrivals: A) -> Self {
        Self { servers, arrivals }
    }

    /// The servers.
    pub fn servers(&self) -> &[S] {
        &self.servers
    }

    /// What arrives.
    pub fn arrivals(&self) -> &A {
        &self.arrivals
    }

    /// Requests per unit of time that each server can serve.
    pub fn speeds(&self) -> impl Iterator<Item = f64> + '_ {
        self.servers.iter().map(|law| 1.0 / law.mean())
    }

    /// Requests per unit of time that the servers can serve together.
    pub fn capacity(&self) -> f64 {
        self.speeds().sum()
    }
}

/// How long a run is, in virtual time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Horizon {
    /// Requests arrive until this instant.
    pub until: f64,
    /// Requests that arrive before this instant do not count: they meet servers that were idle at
    /// the start.
    pub warm_up: f64,
    /// With more requests than this at the servers the run stops.
    pub most_present: usize,
}

impl Horizon {
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
struct Server<S> {
    law: S,
    rng: Stream,
    /// When it will have served all requests that are there now.
    free: f64,
    present: u32,
}

/// Runs `fleet` behind the dispatchers `fronts`, all servers idle at first.
///
/// # Panics
///
/// If there are no dispatchers, or one names a server that is not there.
pub fn simulate<F, S, A>(
    fleet: &Fleet<S, A>,
    mut fronts: Vec<F>,
    horizon: Horizon,
    seed: Seed,
    replication: u64,
) -> FleetOutcome
where
    F: Front,
    S: ServiceLaw + Clone,
    A: ArriveInTime + Clone,
{
    let server = |(index, law): (usize, &S)| Server {
        law: law.clone(),
        rng: seed.stream(SERVICE, replication, index as u64),
        free: 0.0,
        present: 0,
    };
    let mut servers: Vec<_> = fleet.servers.iter().enumerate().map(server).collect();
    let mut entries = seed.stream(ENTRIES, replication, 0);
    let mut there = Departures::new();
    let mut number = 0;
    let mut outcome = FleetOutcome {
        latencies: Vec::new(),
        sent: vec![0; servers.len()],
        tokens: 0,
        ended: None,
    };
    let mut arrivals = fleet.arrivals.clone();
    let mut arriving = seed.stream(ARRIVALS, replication, 0);
    let mut now = 0.0;
    loop {
        let (gap, batch) = arrivals.next_batch(&mut arriving);
        now += gap;
        if now >= horizon.until {
            break;
        }
        while let Some(left) = there.by(now) {
            let server = &mut servers[left.server];
            server.present -= 1;
            let idle = server.present == 0;
            outcome.tokens += u64::from(idle);
            fronts[left.dispatcher].answered(left.server, left.lease, idle, left.at);
        }
        if there.len() > horizon.most_present {
            outcome.ended = Some(now);
            break;
        }
        let dispatcher = entries.random_range(0..fronts.len());
        for _ in 0..batch {
            let (at, lease) = fronts[dispatcher].send(now);
            let server = &mut servers[at];
            server.present += 1;
            server.free = server.free.max(now) + server.law.sample(&mut server.rng);
            if now >= horizon.warm_up {
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
