//! Settings with names: what servers of a service are like, and what happens to them. The default
//! policy is chosen on these (docs/proxies.md). Times are in milliseconds unless they say
//! otherwise.

use filch_workload::{ArrivalTimes, ServiceLaw, ServiceTime};
use rand::{Rng, RngExt};

use super::{Fleet, FleetServer, Horizon, Phase};

/// A setting of the fleet.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// Its name.
    pub name: &'static str,
    /// What is special.
    pub meaning: &'static str,
    /// The share of the servers' capacity that arrives.
    pub load: f64,
    /// Requests that arrive together.
    pub batch: u32,
    /// The time that an answer takes to its dispatcher on average, 0 for none.
    pub travel: f64,
    /// How long a run is, in seconds.
    pub seconds: f64,
    /// How many seconds of it, at the beginning, do not count.
    pub warm_up: f64,
    /// The server whose share of requests matters, and from when on: one that has recovered or is
    /// new.
    pub watched: Option<(usize, f64)>,
    servers: fn() -> Vec<FleetServer<Sizes>>,
}

/// How long requests take.
#[derive(Clone, Debug, PartialEq)]
pub enum Sizes {
    /// By a law that has a name.
    Named(ServiceTime),
    /// Some requests take a fixed long time, the others an exponential one.
    TwoKinds {
        /// The share of long ones.
        share: f64,
        /// How long they take.
        long: f64,
        /// How long the others take on average.
        short: ServiceTime,
    },
}

impl ServiceLaw for Sizes {
    fn mean(&self) -> f64 {
        match self {
            Self::Named(law) => law.mean(),
            Self::TwoKinds { share, long, short } => share * long + (1.0 - share) * short.mean(),
        }
    }

    fn sample<R: Rng + ?Sized>(&mut self, rng: &mut R) -> f64 {
        match self {
            Self::Named(law) => ServiceTime::sample(law, rng),
            Self::TwoKinds { share, long, short } => {
                let is_long = rng.random_bool(*share);
                let time = short.sample(rng);
                if is_long { *long } else { time }
            }
        }
    }
}

const LONG: Scenario = Scenario {
    name: "",
    meaning: "",
    load: 0.8,
    batch: 1,
    travel: 0.0,
    seconds: 300.0,
    warm_up: 10.0,
    watched: None,
    servers: Vec::new,
};

const TWO_SPEEDS: Scenario = Scenario {
    name: "two-speeds",
    meaning: "10 servers of 100 ms and 10 of 10 ms, one request at a time",
    servers: || kinds(&[(10, 100.0, 1), (10, 10.0, 1)]),
    ..LONG
};

const FOUR_AT_ONCE: Scenario = Scenario {
    name: "four-at-once",
    meaning: "10 servers of 100 ms and 10 of 40 ms, four requests at a time",
    servers: || kinds(&[(10, 100.0, 4), (10, 40.0, 4)]),
    ..LONG
};

const SLOW_SPELL: Scenario = Scenario {
    name: "slow-spell",
    meaning: "20 servers of 20 ms, of which 5 are ten times slower for 20 s",
    load: 0.6,
    seconds: 60.0,
    watched: Some((0, 30_000.0)),
    servers: || {
        let mut servers = kinds(&[(20, 20.0, 1)]);
        for server in &mut servers[..5] {
            *server = server
                .clone()
                .phase(Phase::slower(10_000.0, 10.0))
                .phase(Phase::slower(30_000.0, 1.0));
        }
        servers
    },
    ..LONG
};

/// All scenarios, in the order of the tables.
pub const ALL: &[Scenario] = &[
    Scenario {
        load: 0.5,
        ..TWO_SPEEDS
    },
    TWO_SPEEDS,
    Scenario {
        load: 0.95,
        ..TWO_SPEEDS
    },
    Scenario {
        name: "two-speeds in batches",
        meaning: "the same, ten requests arrive together",
        batch: 10,
        ..TWO_SPEEDS
    },
    Scenario {
        name: "overtaking",
        meaning: "the same, answers take 1 ms on average and overtake one another",
        travel: 1.0,
        ..TWO_SPEEDS
    },
    Scenario {
        load: 0.5,
        ..FOUR_AT_ONCE
    },
    FOUR_AT_ONCE,
    Scenario {
        load: 0.95,
        ..FOUR_AT_ONCE
    },
    Scenario {
        name: "equal",
        meaning: "20 servers of 20 ms, one request at a time",
        servers: || kinds(&[(20, 20.0, 1)]),
        ..LONG
    },
    Scenario {
        name: "equal, four at once",
        meaning: "20 servers of 80 ms, four requests at a time",
        servers: || kinds(&[(20, 80.0, 4)]),
        ..LONG
    },
    Scenario {
        name: "equal, 64 at once",
        meaning: "10 servers of 200 ms, 64 requests at a time",
        servers: || kinds(&[(10, 200.0, 64)]),
        seconds: 100.0,
        ..LONG
    },
    Scenario {
        name: "mixed",
        meaning: "servers of 40 ms: 8 serve one request at a time, 8 four and 2 64",
        servers: || kinds(&[(8, 40.0, 1), (8, 40.0, 4), (2, 40.0, 64)]),
        seconds: 100.0,
        ..LONG
    },
    Scenario {
        name: "sharing",
        meaning: "10 servers of 40 ms and 10 of 10 ms whose requests share one processor",
        servers: || {
            let servers = kinds(&[(10, 40.0, 1), (10, 10.0, 1)]);
            servers.into_iter().map(FleetServer::sharing).collect()
        },
        ..LONG
    },
    Scenario {
        name: "long requests",
        meaning: "20 servers of 10 ms where one request in a hundred takes 1 s",
        load: 0.7,
        servers: || {
            let short = exponential(10.0);
            let law = Sizes::TwoKinds {
                share: 0.01,
                long: 1000.0,
                short,
            };
            vec![FleetServer::of(law); 20]
        },
        ..LONG
    },
    SLOW_SPELL,
    Scenario {
        load: 0.8,
        ..SLOW_SPELL
    },
    Scenario {
        name: "cold start",
        meaning: "20 servers of 20 ms; one joins after 10 s, ten times slower, warm after 12 s",
        seconds: 60.0,
        watched: Some((0, 22_000.0)),
        servers: || {
            let mut servers = kinds(&[(20, 20.0, 1)]);
            let mut cold = servers[0].clone().joining(10_000.0);
            for step in 0..24 {
                let (from, slowness) = (
                    10_000.0 + 500.0 * f64::from(step),
                    10.0 - 0.375 * f64::from(step),
                );
                cold = cold.phase(Phase::slower(from, slowness));
            }
            servers[0] = cold.phase(Phase::slower(22_000.0, 1.0));
            servers
        },
        ..LONG
    },
    Scenario {
        name: "fast errors",
        meaning: "20 servers of 20 ms, one of which answers with an error after 1 ms",
        load: 0.6,
        seconds: 100.0,
        warm_up: 0.0,
        servers: || {
            let mut servers = kinds(&[(20, 20.0, 1)]);
            servers[0] = servers[0].clone().phase(Phase::failing(0.0, 1.0, 1.0));
            servers
        },
        ..LONG
    },
];

fn exponential(mean: f64) -> ServiceTime {
    ServiceTime::exponential(mean).expect("a mean above 0")
}

/// So many servers with this mean, so many requests at a time, for each kind.
fn kinds(kinds: &[(usize, f64, u32)]) -> Vec<FleetServer<Sizes>> {
    let servers = kinds.iter().flat_map(|&(count, mean, at_once)| {
        let server = FleetServer::of(Sizes::Named(exponential(mean))).at_once(at_once);
        vec![server; count]
    });
    servers.collect()
}

impl Scenario {
    /// The servers and what arrives.
    pub fn fleet(&self) -> Fleet<Sizes> {
        let servers = (self.servers)();
        let capacity: f64 = servers.iter().map(FleetServer::capacity).sum();
        let rate = self.load * capacity;
        let arrivals = ArrivalTimes::new(rate, self.batch).expect("a load above 0");
        let fleet = Fleet::with(servers, arrivals);
        if self.travel > 0.0 {
            fleet.answers_take(exponential(self.travel))
        } else {
            fleet
        }
    }

    /// How long a run is.
    pub fn horizon(&self) -> Horizon {
        Horizon {
            warm_up: self.warm_up * 1e3,
            most_present: 20_000,
            ..Horizon::of(self.seconds * 1e3)
        }
    }

    /// Its name with the load, as in tables.
    pub fn title(&self) -> String {
        format!("{}, {:.0} %", self.name, 100.0 * self.load)
    }
}
