use filch_random::Seed;
use filch_workload::{ArrivalTimes, ArriveInTime, ServiceLaw, ServiceTime};

use super::fleet_server::FleetServer;
use super::front::Front;
use super::outcome::FleetOutcome;
use super::run::FleetRun;

/// With more requests than this at the servers a run stops, unless its [`Horizon`] says otherwise:
/// the queues grow without bound.
pub const MOST_PRESENT: usize = 100_000;

/// The servers and what arrives.
///
/// Service times have names ([`ServiceTime`]) or follow a [`ServiceLaw`] of your own; arrivals are
/// [`ArrivalTimes`] or an [`ArriveInTime`] of your own.
#[derive(Clone, Debug, PartialEq)]
pub struct Fleet<S = ServiceTime, A = ArrivalTimes> {
    pub(super) servers: Vec<FleetServer<S>>,
    pub(super) arrivals: A,
    pub(super) answers: Option<ServiceTime>,
}

impl<S: ServiceLaw + Clone, A: ArriveInTime + Clone> Fleet<S, A> {
    /// Servers that serve one request at a time, under these arrivals, in the same unit of time.
    pub fn of(servers: Vec<S>, arrivals: A) -> Self {
        Self::with(servers.into_iter().map(FleetServer::of).collect(), arrivals)
    }

    /// Servers of any kind.
    pub fn with(servers: Vec<FleetServer<S>>, arrivals: A) -> Self {
        Self {
            servers,
            arrivals,
            answers: None,
        }
    }

    /// Each answer takes a time of this law to its dispatcher, so that answers may overtake one
    /// another. Otherwise they take none.
    #[must_use]
    pub fn answers_take(self, law: ServiceTime) -> Self {
        Self {
            answers: Some(law),
            ..self
        }
    }

    /// The servers.
    pub fn servers(&self) -> &[FleetServer<S>] {
        &self.servers
    }

    /// What arrives.
    pub fn arrivals(&self) -> &A {
        &self.arrivals
    }

    /// One over the time that a request takes at each server by itself. A server that serves one at
    /// a time can serve so many per unit of time.
    pub fn speeds(&self) -> impl Iterator<Item = f64> + '_ {
        self.servers.iter().map(|server| 1.0 / server.service())
    }

    /// Requests per unit of time that the servers can serve together.
    pub fn capacity(&self) -> f64 {
        self.servers.iter().map(FleetServer::capacity).sum()
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

/// Runs `fleet` behind the dispatchers `fronts`, all servers idle at first.
///
/// # Panics
///
/// If there are no dispatchers, or one names a server that is not there.
pub fn simulate<F, S, A>(
    fleet: &Fleet<S, A>,
    fronts: Vec<F>,
    horizon: Horizon,
    seed: Seed,
    replication: u64,
) -> FleetOutcome
where
    F: Front,
    S: ServiceLaw + Clone,
    A: ArriveInTime + Clone,
{
    assert!(
        !fronts.is_empty(),
        "requests enter by at least one dispatcher"
    );
    FleetRun::new(fleet, fronts, horizon, seed, replication).finish()
}
