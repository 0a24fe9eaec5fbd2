//! The process of a rival.

use filch_random::{Seed, Stream};

use super::super::generators::Generate;
use super::super::queues::Queues;
use super::super::serve::serve;
use super::super::{ARRIVALS, REQUESTS, StepCounts};
use super::{Balance, Loads};

/// Generators, a [`Balance`], and queues that process a job a step.
///
/// Jobs are drawn from the same stream as in [`Natural`](super::super::Natural).
///
/// ```
/// use filch_random::{Seed, Stream};
/// use filch_sim::natural::Generators;
/// use filch_sim::natural::rivals::{Balance, Balanced, Loads, Moves};
/// use filch_workload::{Placement, Probability};
///
/// /// Processor 1 deals its jobs out, one to each of the others in turn.
/// struct Deal;
/// impl Balance for Deal {
///     fn balance(&mut self, loads: &mut Loads, _: &mut Stream) -> Moves {
///         let others = loads.processors().min(loads.queues()[0] as usize);
///         let moved = (1..others).map(|to| loads.move_jobs(0, to, 1)).sum();
///         Moves { requests: 0, actions: u64::from(moved > 0), moved }
///     }
/// }
///
/// let generators = Generators::new(Placement::One, 50, Probability::new(0.5)?)?;
/// let mut process = Balanced::new(50, generators, Deal, Seed::new(1), 0);
/// let served: u64 = (0..1000).map(|_| process.step().served).sum();
/// assert!(served > 24_000);
/// # Ok::<(), filch_workload::Invalid>(())
/// ```
#[derive(Clone, Debug)]
pub struct Balanced<G, B> {
    generators: G,
    balance: B,
    queues: Queues,
    loads: Loads,
    step: u64,
    arriving: Stream,
    asking: Stream,
}

impl<G: Generate, B: Balance> Balanced<G, B> {
    /// The process on empty queues. Replications of one seed are independent.
    pub fn new(processors: usize, generators: G, balance: B, seed: Seed, replication: u64) -> Self {
        Self {
            generators,
            balance,
            queues: Queues::empty(processors),
            loads: Loads::default(),
            step: 0,
            arriving: seed.stream(ARRIVALS, replication, 0),
            asking: seed.stream(REQUESTS, replication, 0),
        }
    }

    /// The queues now.
    pub fn queues(&self) -> &Queues {
        &self.queues
    }

    /// The next step. `steals` are the actions that moved a job.
    pub fn step(&mut self) -> StepCounts {
        let (queues, loads) = (&mut self.queues, &mut self.loads);
        let before = loads.fresh_mut();
        before.clear();
        before.extend(queues.lengths());
        let generated = self
            .generators
            .generate(self.step, &mut self.arriving, queues);
        let lengths = loads.queues_mut();
        lengths.clear();
        lengths.extend(queues.lengths());
        for processor in 0..queues.processors() {
            let length = loads.queues()[processor];
            let before = &mut loads.fresh_mut()[processor];
            *before = length - *before;
        }
        let moves = self.balance.balance(loads, &mut self.asking);
        let (mut load, mut served) = (0, 0);
        for (processor, &length) in loads.queues().iter().enumerate() {
            queues.set(processor, length);
            served += u64::from(length > 0);
            load += length;
        }
        let longest = serve(queues);
        self.step += 1;
        StepCounts {
            generated,
            requests: moves.requests,
            steals: moves.actions,
            moved: moves.moved,
            served,
            load: load - served,
            longest,
        }
    }
}
