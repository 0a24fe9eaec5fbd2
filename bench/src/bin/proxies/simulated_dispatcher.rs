//! filch's dispatcher in the simulated fleet: the same code as on sockets, with its clock set by
//! hand.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use filch_balance::trial::Summary;
use filch_balance::{AnswerNumber, Balancer, Clock, Lease, Options, Outcome, Server, Speeds, Told};
use filch_random::Seed;
use filch_sim::fleet::{Answer, Fleet, FleetOutcome, Front, Horizon, simulate};
use filch_workload::ServiceLaw;

use crate::balancers::Model;
use crate::figures::Figures;
use crate::setting::Setting;

/// What the simulator predicts for the model in the setting.
pub(crate) fn figures(setting: &Setting, model: Model) -> Figures {
    let (fleet, length) = setting.fleet();
    let (outcome, _) = run(&fleet, length, setting.seed, model, None);
    let summary = Summary::of(outcome.latencies);
    Figures::new(&summary, outcome.ended.is_some())
}

/// The longest time without a request of a server, from an instant on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch {
    server: usize,
    /// When it got its last request, or the instant from which on it is watched.
    last: f64,
    longest: f64,
}

impl Watch {
    pub(crate) fn new((server, from): (usize, f64)) -> Self {
        Self {
            server,
            last: from,
            longest: 0.0,
        }
    }

    /// The server has a request, or the run is over.
    fn see(&mut self, now: f64) {
        if now > self.last {
            self.longest = self.longest.max(now - self.last);
            self.last = now;
        }
    }
}

/// Runs `fleet` behind the model's dispatchers. Returns what happened, and the longest time for
/// which the watched server got no request.
pub(crate) fn run<S: ServiceLaw + Clone>(
    fleet: &Fleet<S>,
    length: Horizon,
    seed: Seed,
    model: Model,
    watch: Option<Watch>,
) -> (FleetOutcome, Option<f64>) {
    let watch = Rc::new(Cell::new(watch));
    let dispatcher = |number| SimulatedDispatcher::new(fleet, model, number, Rc::clone(&watch));
    let fronts = (0..model.dispatchers as u64).map(dispatcher).collect();
    let outcome = simulate(fleet, fronts, length, seed, 0);
    let longest = watch.get().map(|mut watch| {
        watch.see(length.until);
        watch.longest
    });
    (outcome, longest)
}

/// A dispatcher in virtual time, in milliseconds.
struct SimulatedDispatcher {
    balancer: Balancer<usize>,
    clock: Clock,
    watch: Rc<Cell<Option<Watch>>>,
}

impl SimulatedDispatcher {
    fn new<S: ServiceLaw + Clone>(
        fleet: &Fleet<S>,
        model: Model,
        number: u64,
        watch: Rc<Cell<Option<Watch>>>,
    ) -> Self {
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
        let slowest = fleet.speeds().fold(f64::INFINITY, f64::min);
        let servers = fleet.servers().iter().zip(fleet.speeds()).enumerate();
        let there = servers.filter(|(_, (server, _))| server.joins() == 0.0);
        let servers = there.map(|(at, (_, speed))| {
            let server = Server::new(at).tokens();
            if model.learned {
                server
            } else {
                server.weight(speed / slowest)
            }
        });
        Self {
            balancer: Balancer::new(options, servers).expect("good servers"),
            clock,
            watch,
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
        let server = *lease.server();
        if let Some(mut watch) = self.watch.get().filter(|watch| watch.server == server) {
            watch.see(now);
            self.watch.set(Some(watch));
        }
        (server, lease)
    }

    fn answered(&mut self, _: usize, lease: Lease<usize>, answer: Answer, now: f64) {
        self.set(now);
        let told = Told::Numbered {
            idle: answer.idle,
            number: AnswerNumber {
                boot: 0,
                number: answer.number,
            },
        };
        let outcome = if answer.failed {
            Outcome::Failed
        } else {
            Outcome::Good
        };
        lease.ended(outcome, told);
    }

    fn joined(&mut self, server: usize, now: f64) {
        self.set(now);
        let joined = self.balancer.insert(Server::new(server).tokens());
        joined.expect("a good server");
    }
}
