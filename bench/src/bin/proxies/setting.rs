use std::time::Duration;

use filch_random::Seed;
use filch_sim::fleet::{Fleet, Horizon};
use filch_workload::{ArrivalTimes, ServiceTime};
use serde::Serialize;

/// How requests arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ArrivalKind {
    /// One at a time.
    Poisson,
    /// Ten at a time.
    Batches,
}

/// The load on the servers, and for how long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) arrivals: ArrivalKind,
    pub(crate) load: f64,
    pub(crate) measured: Duration,
    pub(crate) warm_up: Duration,
    pub(crate) most_open: usize,
    pub(crate) seed: Seed,
}

/// The mean service times of a slow and a fast server in milliseconds, and how many there are of
/// each.
const MEANS: [f64; 2] = [100.0, 10.0];
const EACH: usize = 10;

impl Setting {
    /// Ten servers of mean 100 ms, then ten of mean 10 ms.
    pub(crate) fn servers() -> Vec<ServiceTime> {
        let server = |mean| ServiceTime::exponential(mean).expect("a good mean");
        MEANS
            .iter()
            .flat_map(|&mean| vec![server(mean); EACH])
            .collect()
    }

    /// How fast they are, relative to a slow one.
    pub(crate) fn weights() -> Vec<f64> {
        Self::servers()
            .iter()
            .map(|law| MEANS[0] / law.mean())
            .collect()
    }

    /// The arrivals: requests per millisecond, and how many together.
    pub(crate) fn times(&self) -> ArrivalTimes {
        let capacity: f64 = Self::servers().iter().map(ServiceTime::speed).sum();
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
        (Fleet::of(Self::servers(), self.times()), length)
    }

    /// As a heading.
    pub(crate) fn name(&self) -> String {
        let arrivals = match self.arrivals {
            ArrivalKind::Poisson => "Poisson",
            ArrivalKind::Batches => "batches of 10",
        };
        format!("{arrivals}, {:.0} %", self.load * 100.0)
    }
}
