//! The dispatcher of a pool: a policy of crates/policy, which is told when a worker falls idle.

use filch_deque::Padded;
use filch_policy::dispatch::beginning::Beginning as _;
use filch_policy::dispatch::{Assignment, Dispatch, Dispatcher, Spec, StartError, View};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::scheduler::worker::Seat;

/// The policies that keep to one worker, as they are printed.
const LAST: &str = "last";
const PERSISTENT_IDLE: &str = "pi";

pub(crate) struct Dispatching {
    dispatcher: Dispatcher,
    /// Whether the policy reads queue lengths.
    sees_queues: bool,
    /// Whether the policy keeps to one worker while it holds no token.
    is_persistent: bool,
    is_persistent_idle: bool,
    queues: Vec<u32>,
    batch: Assignment,
    rng: Xoshiro256PlusPlus,
}

impl Dispatching {
    pub(crate) fn new(policy: Spec, workers: usize, seed: u64) -> Result<Self, StartError> {
        let queues = vec![0; workers];
        let name = policy.to_string();
        Ok(Self {
            dispatcher: policy.start(&View::of_queues(&queues))?,
            sees_queues: policy.needs().queues,
            is_persistent: [LAST, PERSISTENT_IDLE].contains(&&*name),
            is_persistent_idle: name == PERSISTENT_IDLE,
            queues,
            batch: Assignment::over(workers),
            rng: dispatch_rng(seed),
        })
    }

    pub(crate) fn is_persistent_idle(&self) -> bool {
        self.is_persistent_idle
    }

    pub(crate) fn choose(&mut self, seats: &[Padded<Seat>]) -> usize {
        self.look(seats);
        self.dispatcher
            .whole(1, &View::of_queues(&self.queues), &mut self.rng)
    }

    /// Whether the policy sends every further job where it sent the last, until a worker falls
    /// idle.
    pub(crate) fn persists(&self) -> bool {
        self.is_persistent && !Spec::knows_idle(&self.dispatcher)
    }

    /// How many of `jobs` jobs each chosen worker gets.
    pub(crate) fn split(
        &mut self,
        jobs: usize,
        seats: &[Padded<Seat>],
    ) -> impl Iterator<Item = (usize, usize)> {
        self.look(seats);
        self.batch.clear();
        if jobs > 0 {
            let jobs = u32::try_from(jobs).expect("a batch has fewer than 2³² jobs");
            let view = View::of_queues(&self.queues);
            self.dispatcher
                .split(jobs, &view, &mut self.rng, &mut self.batch);
        }
        self.batch
            .iter()
            .map(|(worker, jobs)| (worker, jobs as usize))
    }

    /// The workers that got jobs of the last batch.
    pub(crate) fn recipients(&self) -> impl Iterator<Item = usize> {
        self.batch.iter().map(|(worker, _)| worker)
    }

    pub(crate) fn fell_idle(&mut self, worker: usize, seats: &[Padded<Seat>]) {
        self.look(seats);
        self.dispatcher
            .fell_idle(worker, &View::of_queues(&self.queues));
    }

    pub(crate) fn withdraw(&mut self, worker: usize) {
        self.dispatcher.withdraw(worker);
    }

    fn look(&mut self, seats: &[Padded<Seat>]) {
        if self.sees_queues {
            for (queue, seat) in self.queues.iter_mut().zip(seats) {
                *queue = u32::try_from(seat.load()).unwrap_or(u32::MAX);
            }
        }
    }
}

/// The stream that breaks ties. Workers draw their victims from streams seeded with `seed` and the
/// numbers that follow it.
fn dispatch_rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_sub(1))
}
