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

/// How long a server is left alone, from an instant on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch {
    server: usize,
    /// Requests at the server.
    present: u32,
    /// When it got its last request, and when it last had one, or the instant from which on it is
    /// watched.
    sent: f64,
    busy: f64,
    longest: LeftAlone,
}

/// The longest times in milliseconds for which a server was left alone.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LeftAlone {
    /// It had no request, neither in service nor waiting.
    pub(crate) without: f64,
    /// It got no request. It may have had a queue.
    pub(crate) between: f64,
}

impl Watch {
    pub(crate) fn new((server, from): (usize, f64)) -> Self {
        Self {
            server,
            present: 0,
            sent: from,
            busy: from,
            longest: LeftAlone::default(),
        }
    }

    /// The server gets a request, or the run is over.
    fn gets(&mut self, now: f64) {
        let longest = &mut self.longest;
        longest.between = longest.between.max(now - self.sent);
        if self.present == 0 {
            longest.without = longest.without.max(now - self.busy);
        }
        self.sent = self.sent.max(now);
        self.present += 1;
    }

    /// A request leaves the server.
    fn loses(&mut self, now: f64) {
        self.present -= 1;
        self.busy = self.busy.max(now);
    }
}

/// Runs `fleet` behind the model's dispatchers. Returns what happened, and for how long the watched
/// server was left alone.
pub(crate) fn run<S: ServiceLaw + Clone>(
    fleet: &Fleet<S>,
    length: Horizon,
    seed: Seed,
    model: Model,
    watch: Option<Watch>,
) -> (FleetOutcome, Option<LeftAlone>) {
    let watch = Rc::new(Cell::new(watch));
    let dispatcher = |number| SimulatedDispatcher::new(fleet, model, number, Rc::clone(&watch));
    let fronts = (0..model.dispatchers as u64).map(dispatcher).collect();
    let outcome = simulate(fleet, fronts, length, seed, 0);
    let longest = watch.get().map(|mut watch| {
        watch.gets(length.until);
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

    /// Something happens at a server.
    fn note(&self, server: usize, event: impl FnOnce(&mut Watch)) {
        if let Some(mut watch) = self.watch.get().filter(|watch| watch.server == server) {
            event(&mut watch);
            self.watch.set(Some(watch));
        }
    }
}

impl Front for SimulatedDispatcher {
    type Lease = Lease<usize>;

    fn send(&mut self, now: f64) -> (usize, Lease<usize>) {
        self.set(now);
        let lease = self.balancer.lease().expect("servers without limits");
        let server = *lease.server();
        self.note(server, |watch| watch.gets(now));
        (server, lease)
    }

    fn answered(&mut self, server: usize, lease: Lease<usize>, answer: Answer, now: f64) {
        self.set(now);
        self.note(server, |watch| watch.loses(now));
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
