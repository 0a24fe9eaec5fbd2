use std::io;
use std::sync::Mutex;

use filch_balance::trial::{Alarm, Caps, Plan, Sample, ToyServer, run_and_tell};
use filch_policy::dispatch::Spec;
use filch_random::Seed;
use filch_workload::ServiceTime;

use super::dispatcher::DemoDispatcher;
use super::live::{Lane, lock};
use crate::args::DemoArgs;

/// The servers: mean service times in milliseconds, exponentially distributed. Five slow, five ten
/// times as fast.
pub(super) const MEANS: [f64; 10] = [
    100.0, 100.0, 100.0, 100.0, 100.0, 10.0, 10.0, 10.0, 10.0, 10.0,
];

/// Requests a millisecond that all servers together can do.
pub(super) fn capacity() -> f64 {
    MEANS.iter().map(|mean| 1.0 / mean).sum()
}

/// What one policy runs on: servers of its own, and dispatchers in front of them.
pub(super) struct Stand {
    /// They serve as long as they are here.
    _servers: Vec<ToyServer>,
    dispatchers: Vec<DemoDispatcher>,
}

impl Stand {
    pub(super) async fn start(policy: Spec, options: &DemoArgs, alarm: &Alarm) -> io::Result<Self> {
        let seed = options.simulation.seed;
        let mut servers = Vec::new();
        for (index, mean) in MEANS.into_iter().enumerate() {
            let law = ServiceTime::exponential(mean).expect("a mean above 0");
            let server = ToyServer::start(law, seed, index as u64, true, alarm).await?;
            servers.push(server);
        }
        let addresses: Vec<_> = servers.iter().map(ToyServer::address).collect();
        let dispatchers = (0..options.dispatchers() as u64)
            // Dispatchers that drew alike would choose alike.
            .map(|number| Seed::new(seed.get().wrapping_add(number)))
            .map(|seed| DemoDispatcher::new(policy, seed, &addresses));
        Ok(Self {
            dispatchers: dispatchers.collect(),
            _servers: servers,
        })
    }

    /// Sends the whole load; `lane` sees each request as it ends.
    pub(super) async fn run(self, plan: &Plan, alarm: &Alarm, caps: Caps, lane: &Mutex<Lane>) {
        let send = |entry: usize| self.dispatchers[entry].clone().ask();
        let tell = |sample: &Sample| lock(lane).add(*sample);
        let record = run_and_tell(plan, alarm, caps, send, tell).await;
        lock(lane).finish(record);
    }
}
