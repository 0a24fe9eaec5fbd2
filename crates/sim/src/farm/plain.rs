//! The same farm job by job, with no optimisation.
//!
//! Every job is an entry of a queue, and every server is visited in every slot. The fast simulation
//! is tested and timed against this one; nothing else uses it.

use std::collections::{BTreeMap, VecDeque};

use filch_policy::dispatch::{Assignment, Dispatch, Spec, Start, StartError, View};
use filch_random::{Seed, Stream};
use filch_workload::streams::{ARRIVALS, ROUTING};
use filch_workload::{ArrivalLaw, Arrivals, Arrive, CapacityLaw};

use super::run::{Batches, Length, Run};
use super::servers::Servers;
use super::simulate::Error;

/// One policy and its servers.
#[derive(Debug)]
pub struct PlainFarm<'a, P: Start = Spec, A = Arrivals> {
    run: &'a Run<P, A>,
    speeds: &'a [f64],
    dispatcher: P::Policy,
    rng: Stream,
    /// The slots in which the waiting jobs arrived, server by server, the oldest in front.
    pub jobs: Vec<VecDeque<u32>>,
    /// Jobs by completion time.
    pub completions: BTreeMap<u64, u64>,
    /// Σ over slots and servers of the queue length.
    pub waited: u64,
    slot: u32,
}

impl<'a, P: Start, A: ArrivalLaw> PlainFarm<'a, P, A> {
    /// The policy of `run` in front of idle servers.
    ///
    /// # Errors
    ///
    /// If a named policy needs more servers than there are.
    pub fn start<C: CapacityLaw>(
        run: &'a Run<P, A>,
        servers: &'a Servers<C>,
        seed: Seed,
        replication: u64,
    ) -> Result<Self, StartError> {
        let idle = vec![0; servers.count()];
        let view = View::of_queues(&idle).with_speeds(servers.speeds());
        Ok(Self {
            run,
            speeds: servers.speeds(),
            dispatcher: run.policy.start(&view)?,
            rng: seed.stream(ROUTING, replication, 0),
            jobs: vec![VecDeque::new(); servers.count()],
            completions: BTreeMap::new(),
            waited: 0,
            slot: 0,
        })
    }

    /// The queue lengths.
    pub fn queues(&self) -> Vec<u32> {
        self.jobs.iter().map(|jobs| jobs.len() as u32).collect()
    }

    /// What the policy has cost so far.
    pub fn messages(&self) -> u64 {
        self.dispatcher.messages()
    }

    /// One slot, in the order of PI section 2.1.
    pub fn slot(&mut self, batch: u32, capacities: &[u32]) {
        self.slot += 1;
        let queues = self.queues();
        if batch > 0 {
            let view = View::of_queues(&queues).with_speeds(self.speeds);
            let mut parts = Assignment::over(queues.len());
            if self.run.batches == Batches::Split {
                self.dispatcher
                    .split(batch, &view, &mut self.rng, &mut parts);
            } else {
                let server = self.dispatcher.whole(batch, &view, &mut self.rng);
                parts.give(server, batch);
            }
            for (server, jobs) in parts.iter() {
                (0..jobs).for_each(|_| self.jobs[server].push_back(self.slot));
            }
        }
        let mut fell_idle = Vec::new();
        for (server, jobs) in self.jobs.iter_mut().enumerate() {
            let had_jobs = !jobs.is_empty();
            for _ in 0..capacities[server] {
                let Some(arrived) = jobs.pop_front() else {
                    break;
                };
                let took = u64::from(self.slot - arrived) + 1;
                *self.completions.entry(took).or_default() += 1;
            }
            if had_jobs && jobs.is_empty() {
                fell_idle.push(server);
            }
            self.waited += jobs.len() as u64;
        }
        let queues = self.queues();
        let view = View::of_queues(&queues).with_speeds(self.speeds);
        for server in fell_idle {
            self.dispatcher.fell_idle(server, &view);
        }
    }
}

/// Makes one run, with the same random numbers as [`simulate`](super::simulate).
///
/// # Errors
///
/// As [`simulate`](super::simulate).
pub fn simulate<'a, P: Start, A: ArrivalLaw, C: CapacityLaw>(
    servers: &'a Servers<C>,
    run: &'a Run<P, A>,
    length: Length,
    seed: Seed,
    replication: u64,
) -> Result<PlainFarm<'a, P, A>, Error> {
    let mut farm = PlainFarm::start(run, servers, seed, replication)?;
    let mut capacities = super::Capacities::of(servers, seed, replication);
    let mut batches = run.arrivals.start()?;
    let mut arriving = seed.stream(ARRIVALS, replication, 0);
    for _ in 0..length.slots {
        capacities.draw(1);
        farm.slot(batches.next_batch(&mut arriving), capacities.slot(0));
    }
    Ok(farm)
}
