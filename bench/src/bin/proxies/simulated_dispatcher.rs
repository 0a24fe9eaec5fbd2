//! filch's dispatcher in the simulated fleet: the same code as on sockets, with its clock set by
//! hand.

use std::time::Duration;

use filch_balance::trial::Summary;
use filch_balance::{Balancer, Clock, Lease, Options, Server, Speeds, Told};
use filch_random::Seed;
use filch_sim::fleet::{Front, simulate};

use crate::balancers::Model;
use crate::figures::Figures;
use crate::setting::Setting;

/// What the simulator predicts for the model in the setting.
pub(crate) fn figures(setting: &Setting, model: Model) -> Figures {
    let (fleet, length) = setting.fleet();
    let fronts =
        (0..model.dispatchers).map(|number| SimulatedDispatcher::new(model, number as u64));
    let outcome = simulate(&fleet, fronts.collect(), length, setting.seed, 0);
    let summary = Summary::of(outcome.latencies);
    Figures::new(&summary, outcome.ended.is_some())
}

/// A dispatcher in virtual time, in milliseconds.
struct SimulatedDispatcher {
    balancer: Balancer<usize>,
    clock: Clock,
}

impl SimulatedDispatcher {
    fn new(model: Model, number: u64) -> Self {
        let clock = Clock::manual();
        let options = Options {
            speeds: if model.learned {
                Speeds::Learned
            } else {
                Speeds::Weights
            },
            seed: Seed::new(number),
            clock: clock.clone(),
            ..Options::of(model.policy)
        };
        let servers = Setting::weights().into_iter().enumerate();
        let servers = servers.map(|(at, weight)| {
            let server = Server::new(at).tokens();
            if model.learned {
                server
            } else {
                server.weight(weight)
            }
        });
        Self {
            balancer: Balancer::new(options, servers).expect("twenty good servers"),
            clock,
        }
    }

    fn set(&self, now: f64) {
        self.clock.set(Duration::from_secs_f64(now / 1e3));
    }
}

impl Front for SimulatedDispatcher {
    type Lease = Lease<usize>;

    fn send(&mut self, now: f64) -> (usize, Lease<usize>) {
        self.set(now);
        let lease = self.balancer.lease().expect("servers without limits");
        (*lease.server(), lease)
    }

    fn answered(&mut self, _: usize, lease: Lease<usize>, idle: bool, now: f64) {
        self.set(now);
        lease.answered(if idle { Told::Idle } else { Told::Busy });
    }
}
