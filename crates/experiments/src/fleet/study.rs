//! Independent runs of equal servers behind one policy.

use filch_policy::dispatch::{Start, StartError};
use filch_random::Seed;
use filch_sim::fleet::{Fleet, Horizon, PolicyFront, simulate};
use filch_stats::{Confidence, Estimate, replications};
use filch_workload::{ArrivalTimes, ServiceTime};

use crate::{Progress, parallel};

/// n equal servers, and how they are measured. Times are in mean service times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FleetStudy {
    /// n, at least 1.
    pub servers: usize,
    /// λ: arrivals for each server in a mean service time, above 0.
    pub lambda: f64,
    /// Dispatchers, each of which sees its own requests alone; at least 1.
    pub dispatchers: usize,
    /// Requests arrive until this time.
    pub until: f64,
    /// Requests that arrive before this time do not count.
    pub warm_up: f64,
    /// Independent runs.
    pub replications: usize,
    /// What all randomness comes from.
    pub seed: Seed,
}

/// What the runs of one policy show.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetEstimates {
    /// The mean time of a request from its arrival to its end.
    pub time: Option<f64>,
    /// Its 95 % interval, from the means of the independent runs.
    pub interval: Option<Estimate>,
    /// The share of requests that found their server busy.
    pub waited: Option<f64>,
    /// Runs that were stopped because the queues grew without bound.
    pub ended: usize,
    /// The mean time in each run, in the order of the runs. With the same seed, runs of the same
    /// number meet the same arrivals.
    pub times: Vec<Option<f64>>,
}

/// What one run shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FleetRun {
    /// The mean time of a request from its arrival to its end.
    pub time: Option<f64>,
    /// The share of requests that found their server busy.
    pub waited: Option<f64>,
    /// Whether the run was stopped because the queues grew without bound.
    pub ended: bool,
}

/// Bytes of a run for each server, with each dispatcher's view of it, and for each request.
const BYTES_PER_SERVER: f64 = 600.0;
const BYTES_PER_VIEW: f64 = 40.0;
const BYTES_PER_REQUEST: f64 = 32.0;

impl FleetStudy {
    /// More arrivals for each server than this make no sense: they are ten times what it can serve.
    pub const MOST_LAMBDA: f64 = 10.0;

    /// About how many bytes of memory a run takes.
    pub fn bytes_of_a_run(&self) -> u64 {
        let servers = self.servers as f64;
        let views = BYTES_PER_VIEW * self.dispatchers as f64;
        let requests = servers * self.lambda * (self.until - self.warm_up);
        (servers * (BYTES_PER_SERVER + views) + requests * BYTES_PER_REQUEST) as u64
    }

    /// The most requests that may be at the servers: a hundred for each.
    fn most_present(&self) -> usize {
        self.servers.saturating_mul(100).max(100_000)
    }

    /// Makes the runs with `policy` and concludes from them. With the same seed every policy meets
    /// the same arrivals.
    ///
    /// # Errors
    ///
    /// If the policy needs more servers than there are.
    ///
    /// # Panics
    ///
    /// If λ or the number of servers is 0.
    pub fn run<P: Start + Sync>(
        &self,
        policy: &P,
        progress: &dyn Progress,
    ) -> Result<FleetEstimates, StartError> {
        self.accepts(policy)?;
        progress.expect(self.replications);
        let runs = parallel::map(self.replications, parallel::threads(), |number| {
            let run = self.replication(policy, number as u64);
            progress.done();
            run
        });
        Ok(FleetEstimates::of(
            &runs.into_iter().collect::<Result<Vec<_>, _>>()?,
        ))
    }

    /// Whether the policy can work in front of these servers.
    ///
    /// # Errors
    ///
    /// If the policy needs more servers than there are.
    ///
    /// # Panics
    ///
    /// If λ or the number of servers is 0.
    pub fn accepts<P: Start>(&self, policy: &P) -> Result<(), StartError> {
        self.fronts(policy, &self.fleet(), 0).map(drop)
    }

    /// Makes the run of this number. With the same seed and number every policy meets the same
    /// arrivals.
    ///
    /// # Errors
    ///
    /// If the policy needs more servers than there are.
    ///
    /// # Panics
    ///
    /// If λ or the number of servers is 0.
    pub fn replication<P: Start>(&self, policy: &P, number: u64) -> Result<FleetRun, StartError> {
        let fleet = self.fleet();
        let fronts = self.fronts(policy, &fleet, number)?;
        let horizon = Horizon {
            until: self.until,
            warm_up: self.warm_up,
            most_present: self.most_present(),
        };
        let outcome = simulate(&fleet, fronts, horizon, self.seed, number);
        let count = outcome.latencies.len() as f64;
        let mean = |sum: f64| (count > 0.0).then(|| sum / count);
        let pairs = outcome.latencies.iter().zip(&outcome.services);
        // Rounding alone makes a latency differ from its service time by less.
        let waited = pairs.filter(|(latency, service)| *latency - *service > 1e-9);
        Ok(FleetRun {
            time: mean(outcome.latencies.iter().sum()),
            waited: mean(waited.count() as f64),
            ended: outcome.ended.is_some(),
        })
    }

    fn fronts<P: Start>(
        &self,
        policy: &P,
        fleet: &Fleet,
        number: u64,
    ) -> Result<Vec<PolicyFront<P::Policy>>, StartError> {
        PolicyFront::with(policy, fleet, self.dispatchers, true, self.seed, number)
    }

    fn fleet(&self) -> Fleet {
        let service = ServiceTime::exponential(1.0).expect("a mean above 0");
        let arrivals = ArrivalTimes::new(self.lambda * self.servers as f64, 1);
        let arrivals = arrivals.expect("a load above 0");
        Fleet::of(vec![service; self.servers], arrivals)
    }
}

impl FleetEstimates {
    /// Concludes from the runs of one policy, in their order.
    pub fn of(runs: &[FleetRun]) -> Self {
        let mean = |of: fn(&FleetRun) -> Option<f64>| {
            let values: Vec<f64> = runs.iter().filter_map(of).collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        let times: Vec<f64> = runs.iter().filter_map(|run| run.time).collect();
        Self {
            time: mean(|run| run.time),
            interval: replications(&times, Confidence::NINETY_FIVE).ok(),
            waited: mean(|run| run.waited),
            ended: runs.iter().filter(|run| run.ended).count(),
            times: runs.iter().map(|run| run.time).collect(),
        }
    }

    /// The mean time of this policy minus that of `other`, by paired differences: runs with the
    /// same number have the same arrivals and service times. None if a run of either was stopped,
    /// or if there are too few runs for an interval.
    pub fn minus(&self, other: &Self) -> Option<Estimate> {
        if self.ended + other.ended > 0 {
            return None;
        }
        let pairs = self.times.iter().zip(&other.times);
        let differences: Option<Vec<f64>> = pairs.map(|(a, b)| Some((*a)? - (*b)?)).collect();
        replications(&differences?, Confidence::NINETY_FIVE).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::super::limit_of;
    use super::*;
    use crate::Silent;
    use filch_policy::dispatch::Spec;

    fn named(name: &str) -> Spec {
        name.parse().unwrap()
    }

    /// One server is an M/M/1 queue whatever the policy: 1/(1 − λ) mean service times.
    #[test]
    fn one_server_is_a_queue() {
        let study = FleetStudy {
            servers: 1,
            lambda: 0.5,
            dispatchers: 1,
            until: 20_000.0,
            warm_up: 1000.0,
            replications: 8,
            seed: Seed::new(1),
        };
        let found = study.run(&named("random"), &Silent).unwrap();
        let interval = found.interval.unwrap();
        // Three times a 95 % half width: a chance of one in a thousand with seven degrees of
        // freedom, and the seed is fixed.
        assert!((found.time.unwrap() - 2.0).abs() < 3.0 * interval.half_width);
        assert!((found.waited.unwrap() - 0.5).abs() < 0.02);
        assert_eq!(found.ended, 0);
    }

    /// Two thousand servers are within a few percent of the limit; overload is noticed.
    #[test]
    fn many_servers_are_near_the_limit() {
        let study = FleetStudy {
            servers: 2000,
            lambda: 0.9,
            dispatchers: 1,
            until: 120.0,
            warm_up: 60.0,
            replications: 4,
            seed: Seed::new(1),
        };
        for name in ["jsq:2", "jsq:1:1"] {
            let policy = named(name);
            let found = study.run(&policy, &Silent).unwrap().time.unwrap();
            let limit = limit_of(&policy, 0.9).unwrap().unwrap().time_in_system();
            assert!(
                (found / limit - 1.0).abs() < 0.04,
                "{name}: {found} {limit}"
            );
        }
    }

    #[test]
    fn a_policy_that_needs_more_servers_is_refused() {
        let study = FleetStudy {
            servers: 2,
            lambda: 0.9,
            dispatchers: 1,
            until: 10.0,
            warm_up: 0.0,
            replications: 1,
            seed: Seed::new(1),
        };
        assert!(study.run(&named("jsq:3"), &Silent).is_err());
    }

    /// Policies are compared on the same arrivals and service times: the interval of the difference
    /// is narrower than those of the means, and a policy does not differ from itself.
    #[test]
    fn policies_are_compared_in_pairs() {
        let study = FleetStudy {
            servers: 20,
            lambda: 0.7,
            dispatchers: 1,
            until: 400.0,
            warm_up: 100.0,
            replications: 6,
            seed: Seed::new(1),
        };
        let [random, jsq] = ["random", "jsq:2"].map(|name| study.run(&named(name), &Silent));
        let (random, jsq) = (random.unwrap(), jsq.unwrap());
        let less = jsq.minus(&random).unwrap();
        assert!(less.interval().hi < 0.0);
        let mean = jsq.time.unwrap() - random.time.unwrap();
        assert!((less.mean - mean).abs() < 1e-9);
        let none = jsq.minus(&jsq).unwrap();
        assert_eq!((none.mean, none.half_width), (0.0, 0.0));
        let alone: Vec<_> = (0..6)
            .map(|number| study.replication(&named("jsq:2"), number).unwrap())
            .collect();
        assert_eq!(FleetEstimates::of(&alone), jsq);
    }
}
