use filch_random::{Purpose, Seed, Stream};
use filch_workload::streams::{ARRIVALS, ENTRIES, SERVICE};
use filch_workload::{ArriveInTime, ServiceLaw, ServiceTime};
use rand::RngExt;

use super::Answer;
use super::agenda::Agenda;
use super::fleet_server::{FleetServer, Phase};
use super::front::Front;
use super::outcome::FleetOutcome;
use super::simulate::{Fleet, Horizon};
use super::station::Station;

/// Which requests of a server fail, and how long its answers travel.
const FAILURES: Purpose = Purpose::named("failures");
const TRAVEL: Purpose = Purpose::named("travel");

/// A request on its way through the fleet.
#[derive(Debug)]
struct Trip<L> {
    number: u64,
    arrived: f64,
    server: usize,
    dispatcher: usize,
    failed: bool,
    lease: L,
}

#[derive(Debug)]
enum What<L> {
    /// A server joins.
    Joins(usize),
    /// A request leaves its server.
    Leaves(Trip<L>),
    /// The first request of a server that shares its processors leaves, unless its version is
    /// another one by now.
    SharedLeaves { server: usize, version: u64 },
    /// An answer reaches its dispatcher.
    Comes(Trip<L>, Answer),
}

/// A server at work.
#[derive(Debug)]
struct ServerAtWork<S, L> {
    model: FleetServer<S>,
    station: Station<Trip<L>>,
    services: Stream,
    failures: Stream,
    travel: Stream,
    present: u32,
    answers: u32,
}

/// A run of the fleet.
pub(super) struct FleetRun<F: Front, S, A> {
    servers: Vec<ServerAtWork<S, F::Lease>>,
    fronts: Vec<F>,
    arrivals: A,
    travel: Option<ServiceTime>,
    horizon: Horizon,
    arriving: Stream,
    entries: Stream,
    agenda: Agenda<What<F::Lease>>,
    /// Requests so far, and those that were there when the warm-up ended.
    number: u64,
    uncounted: u64,
    present: usize,
    /// Requests arrive no longer: dispatchers are told nothing.
    over: bool,
    outcome: FleetOutcome,
}

impl<F, S, A> FleetRun<F, S, A>
where
    F: Front,
    S: ServiceLaw + Clone,
    A: ArriveInTime + Clone,
{
    pub(super) fn new(
        fleet: &Fleet<S, A>,
        fronts: Vec<F>,
        horizon: Horizon,
        seed: Seed,
        replication: u64,
    ) -> Self {
        let mut agenda = Agenda::new();
        let server = |(index, model): (usize, &FleetServer<S>)| {
            if model.joins > 0.0 {
                agenda.add(model.joins, 0, What::Joins(index));
            }
            let stream = |purpose| seed.stream(purpose, replication, index as u64);
            ServerAtWork {
                model: model.clone(),
                station: Station::new(model.at_once, model.shares),
                services: stream(SERVICE),
                failures: stream(FAILURES),
                travel: stream(TRAVEL),
                present: 0,
                answers: 0,
            }
        };
        let servers: Vec<_> = fleet.servers.iter().enumerate().map(server).collect();
        Self {
            outcome: FleetOutcome {
                latencies: Vec::new(),
                services: Vec::new(),
                sent: vec![0; servers.len()],
                failed: 0,
                tokens: 0,
                ended: None,
            },
            servers,
            fronts,
            arrivals: fleet.arrivals.clone(),
            travel: fleet.answers,
            horizon,
            arriving: seed.stream(ARRIVALS, replication, 0),
            entries: seed.stream(ENTRIES, replication, 0),
            agenda,
            number: 0,
            uncounted: 0,
            present: 0,
            over: false,
        }
    }

    pub(super) fn finish(mut self) -> FleetOutcome {
        let mut now = 0.0;
        loop {
            let (gap, batch) = self.arrivals.next_batch(&mut self.arriving);
            now += gap;
            if now >= self.horizon.until {
                break;
            }
            self.happen_by(now);
            if self.present > self.horizon.most_present {
                self.outcome.ended = Some(now);
                break;
            }
            let dispatcher = self.entries.random_range(0..self.fronts.len());
            for _ in 0..batch {
                self.arrive(dispatcher, now);
            }
        }
        self.over = true;
        self.happen_by(f64::INFINITY);
        self.outcome
    }

    /// All that happens by `now`.
    fn happen_by(&mut self, now: f64) {
        while let Some(event) = self.agenda.by(now) {
            match event.what {
                What::Joins(server) if !self.over => {
                    let told = self.fronts.iter_mut();
                    told.for_each(|front| front.joined(server, event.at));
                }
                What::Joins(_) => {}
                What::Leaves(trip) => self.leave(trip, event.at),
                What::SharedLeaves { server, version } => {
                    if let Station::Shared(shared) = &mut self.servers[server].station
                        && shared.version == version
                    {
                        let trip = shared.leave(event.at);
                        self.expect_shared(server);
                        if let Some(trip) = trip {
                            self.leave(trip, event.at);
                        }
                    }
                }
                What::Comes(trip, answer) => self.come(trip, answer, event.at),
            }
        }
    }

    /// A request arrives and is sent to a server.
    fn arrive(&mut self, dispatcher: usize, now: f64) {
        let (at, lease) = self.fronts[dispatcher].send(now);
        let number = self.number;
        self.number += 1;
        self.present += 1;
        let server = &mut self.servers[at];
        server.present += 1;
        let time = server.model.law.sample(&mut server.services);
        let begins = match &server.station {
            Station::Line { free } => free.iter().copied().fold(f64::INFINITY, f64::min).max(now),
            Station::Shared(_) => now,
        };
        let (service, failed) = server.conduct(time, begins);
        if now >= self.horizon.warm_up {
            self.outcome.latencies.push(0.0);
            self.outcome.services.push(service);
            self.outcome.sent[at] += 1;
        } else {
            self.uncounted = self.number;
        }
        let trip = Trip {
            number,
            arrived: now,
            server: at,
            dispatcher,
            failed,
            lease,
        };
        match &mut self.servers[at].station {
            Station::Line { free } => {
                let first = free.iter_mut().min_by(|a, b| a.total_cmp(b));
                let place = first.expect("a server serves at least one at a time");
                *place = begins + service;
                let leaves = *place;
                self.agenda.add(leaves, number, What::Leaves(trip));
            }
            Station::Shared(shared) => {
                shared.arrive(now, service, number, trip);
                self.expect_shared(at);
            }
        }
    }

    /// Puts the next departure of a server that shares its processors on the agenda.
    fn expect_shared(&mut self, server: usize) {
        let Station::Shared(shared) = &self.servers[server].station else {
            return;
        };
        let version = shared.version;
        if let Some(at) = shared.next() {
            let what = What::SharedLeaves { server, version };
            self.agenda.add(at, self.number, what);
        }
    }

    /// A request leaves its server, and its answer sets out.
    fn leave(&mut self, trip: Trip<F::Lease>, now: f64) {
        self.present -= 1;
        let server = &mut self.servers[trip.server];
        server.present -= 1;
        server.answers += 1;
        let answer = Answer {
            idle: server.present == 0,
            number: server.answers,
            failed: trip.failed,
        };
        if !self.over {
            self.outcome.tokens += u64::from(answer.idle);
        }
        match &self.travel {
            Some(law) => {
                let at = now + law.sample(&mut server.travel);
                self.agenda.add(at, trip.number, What::Comes(trip, answer));
            }
            None => self.come(trip, answer, now),
        }
    }

    /// An answer reaches its dispatcher.
    fn come(&mut self, trip: Trip<F::Lease>, answer: Answer, now: f64) {
        if trip.number >= self.uncounted {
            let at = (trip.number - self.uncounted) as usize;
            self.outcome.latencies[at] = now - trip.arrived;
            self.outcome.failed += u64::from(trip.failed);
        }
        if !self.over {
            self.fronts[trip.dispatcher].answered(trip.server, trip.lease, answer, now);
        }
    }
}

impl<S: ServiceLaw, L> ServerAtWork<S, L> {
    /// How long a request takes that is drawn to take `time` and begins at `begins`, and whether it
    /// fails.
    fn conduct(&mut self, time: f64, begins: f64) -> (f64, bool) {
        let Phase {
            slowness,
            failing,
            failure,
            ..
        } = self.model.phase_at(begins);
        if failing > 0.0 && self.failures.random::<f64>() < failing {
            (failure, true)
        } else {
            (time * slowness, false)
        }
    }
}
