//! Chain X, fast.

use filch_policy::steal::Steal;
use filch_random::{Seed, Stream};

use super::generators::Generate;
use super::grouped::GroupedRequests;
use super::groups::{CACHED, GROUP};
use super::queues::Queues;
use super::requests::StealRequests;
use super::serve::serve;
use super::{ARRIVALS, REQUESTS};

/// The Markov chain X of BFG03, Figure 1.
///
/// A step has five parts. The generators are allocated and make their jobs (1, 2: `G`). Every
/// processor with an empty queue asks a random one (3). Every asked processor gives f of its load
/// to one of those that asked it (4: `F`). Every queue processes a job (5). f is applied to the
/// load *with* the jobs of this step; a processor that got a job in part 2 does not ask; a stolen
/// job can be processed in the same step.
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
/// // A step makes 900 jobs on one processor, and all processors together process nearly as many.
/// assert!(served > 850_000);
/// # Ok::<(), filch_workload::Invalid>(())
/// ```
///
/// The law is that of the figure, at a lower cost: `generators/`, `requests.rs` and `grouped.rs`
/// name each shortcut and show that it leaves the law unchanged.
/// [`PlainNatural`](super::PlainNatural) takes no shortcut.
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

/// How requests are answered.
#[derive(Clone, Debug)]
enum Requests {
    /// Each by itself.
    Single(StealRequests),
    /// Those to neighbouring processors together.
    Grouped(GroupedRequests),
}

impl Requests {
    fn new(processors: usize) -> Self {
        if processors <= CACHED {
            Self::Single(StealRequests::default())
        } else {
            Self::Grouped(GroupedRequests::new(processors, GROUP))
        }
    }
}

/// What happened in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepCounts {
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
            requests: Requests::new(processors),
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

    /// Answers the requests to each group of `size` neighbouring processors together, whatever the
    /// number of processors. By default they are grouped if there are more than 2²⁰ processors, so
    /// that a group's queues fit into a cache. The law stays the same. A run does not: the random
    /// numbers are used in another order.
    ///
    /// # Panics
    ///
    /// If `size` is not a power of two.
    #[must_use]
    pub fn in_groups_of(mut self, size: usize) -> Self {
        let requests = GroupedRequests::new(self.queues.processors(), size);
        self.requests = Requests::Grouped(requests);
        self
    }

    /// From X_t to X_{t+1}.
    pub fn step(&mut self) -> StepCounts {
        let generated = self
            .generators
            .generate(self.step, &mut self.arriving, &mut self.queues);
        let (queues, steal, asking) = (&mut self.queues, &self.steal, &mut self.asking);
        let (answered, longest) = match &mut self.requests {
            Requests::Single(requests) => {
                let answered = requests.answer(queues, steal, asking);
                (answered, serve(queues))
            }
            Requests::Grouped(requests) => requests.answer_and_serve(queues, steal, asking),
        };
        // Every processor with a job processes one: those that did not ask, and those that stole.
        let served = self.queues.processors() as u64 - answered.requests + answered.steals;
        self.load = self.load + generated - served;
        self.step += 1;
        StepCounts {
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
