use filch_policy::dispatch::{Dispatch, Dispatcher, Spec, StartError, View};
use filch_random::{Purpose, Seed, Stream};

use super::front::Front;
use super::simulate::Fleet;

const ROUTING: Purpose = Purpose::named("routing");

/// A policy on what one dispatcher sees: its own outstanding requests as queues, the servers' true
/// speeds, and tokens.
#[derive(Clone, Debug)]
pub struct Seen {
    policy: Dispatcher,
    outstanding: Vec<u32>,
    speeds: Vec<f64>,
    /// Servers send tokens. Otherwise a server from which nothing is outstanding here is taken for idle.
    tokens: bool,
    rng: Stream,
}

impl Seen {
    /// `dispatchers` of them with the same policy in front of `fleet`, each with a stream of its own. All take all
    /// servers for idle at first.
    ///
    /// # Errors
    ///
    /// If the policy wants to sample more servers than there are.
    pub fn fronts(
        policy: Spec,
        fleet: &Fleet,
        dispatchers: usize,
        tokens: bool,
        seed: Seed,
        replication: u64,
    ) -> Result<Vec<Self>, StartError> {
        let speeds: Vec<f64> = fleet.servers().iter().map(|law| law.speed()).collect();
        let outstanding = vec![0; speeds.len()];
        let view = View::of_queues(&outstanding).with_speeds(&speeds);
        let policy = policy.start_following(&view)?;
        let front = |index| Self {
            policy: policy.clone(),
            outstanding: outstanding.clone(),
            speeds: speeds.clone(),
            tokens,
            rng: seed.stream(ROUTING, replication, index),
        };
        Ok((0..dispatchers as u64).map(front).collect())
    }
}

impl Front for Seen {
    type Lease = ();

    fn send(&mut self, _: f64) -> (usize, ()) {
        let view = View::of_queues(&self.outstanding).with_speeds(&self.speeds);
        let server = self.policy.whole(1, &view, &mut self.rng);
        self.outstanding[server] += 1;
        let view = View::of_queues(&self.outstanding).with_speeds(&self.speeds);
        self.policy.changed(server, &view);
        (server, ())
    }

    fn answered(&mut self, server: usize, (): (), idle: bool, _: f64) {
        self.outstanding[server] -= 1;
        let view = View::of_queues(&self.outstanding).with_speeds(&self.speeds);
        self.policy.changed(server, &view);
        let token = if self.tokens {
            idle
        } else {
            self.outstanding[server] == 0
        };
        if token {
            self.policy.fell_idle(server, &view);
        }
    }
}
