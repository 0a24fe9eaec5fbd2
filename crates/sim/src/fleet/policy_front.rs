use filch_policy::dispatch::{Dispatch, Dispatcher, Spec, Start, StartError, View};
use filch_random::{Seed, Stream};
use filch_workload::streams::ROUTING;
use filch_workload::{ArriveInTime, ServiceLaw};

use super::Answer;
use super::front::Front;
use super::simulate::Fleet;

/// A policy that decides by what one dispatcher sees: its own outstanding requests as queues, the
/// true speeds of the servers, and tokens.
#[derive(Clone, Debug)]
pub struct PolicyFront<D = Dispatcher> {
    policy: D,
    outstanding: Vec<u32>,
    /// For each server, the number of its newest answer and whether that said idle.
    newest: Vec<(u32, bool)>,
    speeds: Vec<f64>,
    /// Whether servers send tokens. If not, a server counts as idle when none of this dispatcher's
    /// requests is outstanding there.
    tokens: bool,
    rng: Stream,
}

impl PolicyFront {
    /// [`with`](Self::with) for a policy that has a name.
    ///
    /// # Errors
    ///
    /// If the policy needs more servers than there are.
    pub fn fronts<S: ServiceLaw + Clone, A: ArriveInTime + Clone>(
        policy: Spec,
        fleet: &Fleet<S, A>,
        dispatchers: usize,
        tokens: bool,
        seed: Seed,
        replication: u64,
    ) -> Result<Vec<Self>, StartError> {
        Self::with(&policy, fleet, dispatchers, tokens, seed, replication)
    }
}

impl<D: Dispatch + Clone> PolicyFront<D> {
    /// `dispatchers` of them with the same policy in front of `fleet`, each with a stream of its
    /// own. The policy has a name or is any [`Dispatch`] of your own. All servers count as idle at
    /// first. With `tokens`, an answer that leaves the server idle says so; otherwise a dispatcher
    /// takes a server for idle when none of its own requests is outstanding there.
    ///
    /// # Errors
    ///
    /// If a named policy needs more servers than there are.
    pub fn with<P, S, A>(
        policy: &P,
        fleet: &Fleet<S, A>,
        dispatchers: usize,
        tokens: bool,
        seed: Seed,
        replication: u64,
    ) -> Result<Vec<Self>, StartError>
    where
        P: Start<Policy = D>,
        S: ServiceLaw + Clone,
        A: ArriveInTime + Clone,
    {
        let speeds: Vec<f64> = fleet.speeds().collect();
        let outstanding = vec![0; speeds.len()];
        let view = View::of_queues(&outstanding).with_speeds(&speeds);
        let policy = policy.start_following(&view)?;
        let front = |index| Self {
            policy: policy.clone(),
            outstanding: outstanding.clone(),
            newest: vec![(0, false); outstanding.len()],
            speeds: speeds.clone(),
            tokens,
            rng: seed.stream(ROUTING, replication, index),
        };
        Ok((0..dispatchers as u64).map(front).collect())
    }
}

impl<D: Dispatch> Front for PolicyFront<D> {
    type Lease = ();

    fn send(&mut self, _: f64) -> (usize, ()) {
        let view = View::of_queues(&self.outstanding).with_speeds(&self.speeds);
        let server = self.policy.whole(1, &view, &mut self.rng);
        self.outstanding[server] += 1;
        let view = View::of_queues(&self.outstanding).with_speeds(&self.speeds);
        self.policy.changed(server, &view);
        (server, ())
    }

    fn answered(&mut self, server: usize, (): (), answer: Answer, _: f64) {
        self.outstanding[server] -= 1;
        let view = View::of_queues(&self.outstanding).with_speeds(&self.speeds);
        self.policy.changed(server, &view);
        let newest = &mut self.newest[server];
        if answer.number > newest.0 {
            *newest = (answer.number, answer.idle);
        }
        if self.outstanding[server] == 0 && (newest.1 || !self.tokens) {
            self.policy.fell_idle(server, &view);
        }
    }
}
