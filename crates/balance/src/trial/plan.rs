use std::time::Duration;

use filch_random::Seed;
use filch_workload::ArrivalTimes;
use filch_workload::streams::{ARRIVALS, ENTRIES};
use rand::RngExt;

/// One batch of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When it starts, counted from the start of the load.
    pub at: Duration,
    /// The dispatcher by which all of it enters.
    pub entry: usize,
    /// Requests in it.
    pub requests: u32,
}

/// All arrivals of a run, drawn in advance: with the same seed every policy gets the same arrivals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    arrivals: Vec<Arrival>,
    requests: usize,
    length: Duration,
}

impl Plan {
    /// The arrivals within `length`, spread uniformly over `dispatchers`; the rate is in requests
    /// per millisecond. Dispatchers are drawn from a stream of their own, so that their number does
    /// not change the instants.
    ///
    /// # Panics
    ///
    /// If there are no dispatchers.
    pub fn draw(
        times: ArrivalTimes,
        length: Duration,
        dispatchers: usize,
        seed: Seed,
        replication: u64,
    ) -> Self {
        assert!(dispatchers > 0, "a load enters by at least one dispatcher");
        let end = length.as_secs_f64() * 1e3;
        let mut entries = seed.stream(ENTRIES, replication, 0);
        let arrivals: Vec<_> = times
            .instants(seed.stream(ARRIVALS, replication, 0))
            .take_while(|&instant| instant < end)
            .map(|instant| Arrival {
                at: Duration::from_secs_f64(instant / 1e3),
                entry: entries.random_range(0..dispatchers),
                requests: times.batch(),
            })
            .collect();
        Self {
            requests: arrivals.len() * times.batch() as usize,
            arrivals,
            length,
        }
    }

    /// The batches, in order.
    pub fn arrivals(&self) -> &[Arrival] {
        &self.arrivals
    }

    /// How many requests there are.
    pub fn requests(&self) -> usize {
        self.requests
    }

    /// How long the load lasts.
    pub fn length(&self) -> Duration {
        self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(dispatchers: usize, seed: u64) -> Plan {
        let times = ArrivalTimes::new(1.0, 10).unwrap();
        Plan::draw(
            times,
            Duration::from_secs(20),
            dispatchers,
            Seed::new(seed),
            0,
        )
    }

    #[test]
    fn the_instants_do_not_depend_on_the_dispatchers() {
        let (one, eight) = (plan(1, 3), plan(8, 3));
        let instants = |plan: &Plan| plan.arrivals.iter().map(|a| a.at).collect::<Vec<_>>();
        assert_eq!(instants(&one), instants(&eight));
        assert!(instants(&one).is_sorted());
        assert_eq!(one.requests(), 10 * one.arrivals().len());
        assert_ne!(one, plan(1, 4));
        for entry in 0..8 {
            assert!(eight.arrivals.iter().any(|arrival| arrival.entry == entry));
        }
    }
}
