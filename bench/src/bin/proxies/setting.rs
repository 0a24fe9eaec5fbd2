use std::time::Duration;

use filch_balance::trial::ToyKind;
use filch_random::Seed;
use filch_sim::fleet::{Fleet, FleetServer, Horizon, Phase};
use filch_workload::{ArrivalTimes, ServiceTime};
use serde::Serialize;

/// How requests arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ArrivalKind {
    /// One at a time
    Poisson,
    /// Ten at a time
    Batches,
}

/// What the servers are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Servers {
    /// Ten of 100 ms and ten of 10 ms, one request at a time
    TwoSpeeds,
    /// Five of 100 ms and five of 10 ms, as in `filch proxy demo`
    Demo,
    /// Ten of 100 ms and ten of 40 ms, four requests at a time
    FourAtOnce,
    /// Twenty of 20 ms, one of which answers 500 after 1 ms
    FastErrors,
}

/// The load on the servers, and for how long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) servers: Servers,
    pub(crate) arrivals: ArrivalKind,
    pub(crate) load: f64,
    pub(crate) measured: Duration,
    pub(crate) warm_up: Duration,
    pub(crate) most_open: usize,
    pub(crate) seed: Seed,
}

/// How long the server that fails takes, in milliseconds.
const FAILS_AFTER: f64 = 1.0;

impl Servers {
    /// The servers, on sockets.
    pub(crate) fn toys(self) -> Vec<ToyKind> {
        let kinds: &[(usize, f64, usize)] = match self {
            Self::TwoSpeeds => &[(10, 100.0, 1), (10, 10.0, 1)],
            Self::Demo => &[(5, 100.0, 1), (5, 10.0, 1)],
            Self::FourAtOnce => &[(10, 100.0, 4), (10, 40.0, 4)],
            Self::FastErrors => &[(20, 20.0, 1)],
        };
        let server = |&(count, mean, at_once): &(usize, f64, usize)| {
            let law = ServiceTime::exponential(mean).expect("a good mean");
            let toy = ToyKind {
                at_once,
                ..law.into()
            };
            vec![toy; count]
        };
        let mut toys: Vec<_> = kinds.iter().flat_map(server).collect();
        if self == Self::FastErrors {
            toys[0].fails_after = Some(Duration::from_secs_f64(FAILS_AFTER / 1e3));
        }
        toys
    }

    /// The same in virtual time.
    fn simulated(self) -> Vec<FleetServer<ServiceTime>> {
        let toys = self.toys().into_iter();
        let servers = toys.map(|toy| {
            let server = FleetServer::of(toy.law).at_once(toy.at_once as u32);
            match toy.fails_after {
                Some(_) => server.phase(Phase::failing(0.0, 1.0, FAILS_AFTER)),
                None => server,
            }
        });
        servers.collect()
    }

    /// How fast they are, relative to the slowest.
    pub(crate) fn weights(self) -> Vec<f64> {
        let toys = self.toys();
        let slowest = toys.iter().map(|toy| toy.law.mean()).fold(0.0, f64::max);
        toys.iter().map(|toy| slowest / toy.law.mean()).collect()
    }
}

impl Setting {
    /// The arrivals: requests per millisecond, and how many together.
    pub(crate) fn times(&self) -> ArrivalTimes {
        let servers = self.servers.simulated();
        let capacity: f64 = servers.iter().map(FleetServer::capacity).sum();
        let batch = match self.arrivals {
            ArrivalKind::Poisson => 1,
            ArrivalKind::Batches => 10,
        };
        ArrivalTimes::new(self.load * capacity, batch).expect("a load above 0")
    }

    /// The same setting in virtual time.
    pub(crate) fn fleet(&self) -> (Fleet, Horizon) {
        let millis = |time: Duration| time.as_secs_f64() * 1e3;
        let length = Horizon {
            until: millis(self.warm_up + self.measured),
            warm_up: millis(self.warm_up),
            most_present: self.most_open,
        };
        (Fleet::with(self.servers.simulated(), self.times()), length)
    }

    /// As a heading.
    pub(crate) fn name(&self) -> String {
        let arrivals = match self.arrivals {
            ArrivalKind::Poisson => "Poisson",
            ArrivalKind::Batches => "batches of 10",
        };
        let servers = match self.servers {
            Servers::TwoSpeeds => "",
            Servers::Demo => "demo, ",
            Servers::FourAtOnce => "four at once, ",
            Servers::FastErrors => "fast errors, ",
        };
        format!("{servers}{arrivals}, {:.0} %", self.load * 100.0)
    }
}
