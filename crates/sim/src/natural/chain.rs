//! Chain X at speed.

use filch_policy::steal::Steal;
use filch_random::{Seed, Stream};

use super::generators::Generate;
use super::queues::Queues;
use super::requests::Requests;
use super::serve::serve;
use super::{ARRIVALS, REQUESTS};

/// The Markov chain X of BFG03, Figure 1.
///
/// In every step the generators are allocated and make their jobs (1, 2: `G`), every processor with
/// an empty queue asks a random one (3), every asked processor gives f of its load to one of those
/// that asked it (4: `F`), and every queue processes a job (5). f sees the load *with* the jobs of
/// this step, a processor that just got a job does not ask, and what was stolen can be processed in
/// the same step.
///
/// ```
/// use filch_policy::steal::StealFunction;
/// use filch_random::Seed;
/// use filch_sim::natural::{Generators, Natural};
/// use filch_workload::{Placement, Probability};
///
/// let generators = Generators::new(Placement::One, 1000, Probability::new(0.9)?)?;
/// let mut chain = Natural::new(1000, generators, StealFunction::HALF, Seed::default(), 0);
/// let mut served = 0;
/// for _ in 0..1000 {
///     served += chain.step().served;
/// }
/// // Nearly all of the 900 jobs that are made in a step are processed, though all on one processor.
/// assert!(served > 850_000);
/// # Ok::<(), filch_workload::Invalid>(())
/// ```
///
/// The law is the figure's, the work is not: `generators/` and `requests.rs` say what is saved and
/// why nothing changes. [`Plain`](super::Plain) is the figure word by word.
#[derive(Clone, Debug)]
pub struct Natural<G, F> {
    generators: G,
    steal: F,
    queues: Queues,
    requests: Requests,
    step: u64,
    load: u64,
    arriving: Stream,
    asking: Stream,
}

/// What happened in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Jobs that were made.
    pub generated: u64,
    /// Processors that asked.
    pub requests: u64,
    /// Requests that moved a job or more.
    pub steals: u64,
    /// Jobs that were moved.
    pub moved: u64,
    /// Jobs that were processed.
    pub served: u64,
    /// The system load after the step, Φ(X).
    pub load: u64,
    /// The longest queue after the step.
    pub longest: u64,
}

impl<G: Generate, F: Steal> Natural<G, F> {
    /// The chain on empty queues. Replications of one seed are independent.
    ///
    /// # Panics
    ///
    /// If there is no processor, or more than [`MOST_PROCESSORS`](super::MOST_PROCESSORS).
    pub fn new(processors: usize, generators: G, steal: F, seed: Seed, replication: u64) -> Self {
        assert!(
            (1..=super::MOST_PROCESSORS).contains(&processors),
            "from 1 to {} processors",
            super::MOST_PROCESSORS
        );
        Self {
            generators,
            steal,
            queues: Queues::empty(processors),
            requests: Requests::default(),
            step: 0,
            load: 0,
            arriving: seed.stream(ARRIVALS, replication, 0),
            asking: seed.stream(REQUESTS, replication, 0),
        }
    }

    /// Puts `jobs` more into the queue of `processor`, to start from another state.
    pub fn put(&mut self, processor: usize, jobs: u64) {
        self.queues.add(processor, jobs);
        self.load += jobs;
    }

    /// From X_t to X_{t+1}.
    pub fn step(&mut self) -> Step {
        let generated = self
            .generators
            .generate(self.step, &mut self.arriving, &mut self.queues);
        let answered = self
            .requests
            .answer(&mut self.queues, &self.steal, &mut self.asking);
        let longest = serve(&mut self.queues);
        // Whoever has a job processes one: all that did not ask, and those that got some.
        let served = self.queues.processors() as u64 - answered.requests + answered.steals;
        self.load = self.load + generated - served;
        self.step += 1;
        Step {
            generated,
            requests: answered.requests,
            steals: answered.steals,
            moved: answered.moved,
            served,
            load: self.load,
            longest,
        }
    }

    /// The queues now.
    pub fn queues(&self) -> &Queues {
        &self.queues
    }

    /// The system load Φ now.
    pub fn load(&self) -> u64 {
        self.load
    }
}
