//! Figure 1, transcribed.

use filch_policy::steal::Steal;
use filch_workload::{Place, Probability};
use rand::distr::Bernoulli;
use rand::{Rng, RngExt};
use rand_distr::Distribution;

use super::StepCounts;

/// The Markov chain X as BFG03's Figure 1 states it, one processor and one generator at a time.
///
/// Slow, and easy to compare with the figure. Tests and benchmarks compare
/// [`Natural`](super::Natural) with it.
#[derive(Clone, Debug)]
pub struct PlainNatural<P, F> {
    place: P,
    job: Bernoulli,
    steal: F,
    /// X_t.
    queues: Vec<u64>,
    hosted: Vec<u32>,
    /// j⁺ and j⁻.
    gained: Vec<u64>,
    given: Vec<u64>,
    /// For each processor: how many asked it, and which of them it chose.
    asked: Vec<(u32, usize)>,
    step: u64,
}

impl<P: Place, F: Steal> PlainNatural<P, F> {
    /// The chain from the state `queues`, whose length is the number of processors.
    pub fn new(queues: Vec<u64>, place: P, lambda: Probability, steal: F) -> Self {
        let processors = queues.len();
        Self {
            place,
            job: Bernoulli::new(lambda.get()).expect("λ is a probability"),
            steal,
            queues,
            hosted: vec![0; processors],
            gained: vec![0; processors],
            given: vec![0; processors],
            asked: vec![(0, 0); processors],
            step: 0,
        }
    }

    /// X_t.
    pub fn queues(&self) -> &[u64] {
        &self.queues
    }

    /// From X_t to X_{t+1}.
    pub fn step<R: Rng>(&mut self, rng: &mut R) -> StepCounts {
        let processors = self.queues.len();
        let mut step = StepCounts::default();

        // 1. Choose the generator-allocation function from D.
        self.place
            .place_seeing(self.step, self.queues.as_slice(), rng, &mut self.hosted);

        // 2. Each generator makes a job with probability λ.
        for (queue, &generators) in self.queues.iter_mut().zip(&self.hosted) {
            for _ in 0..generators {
                let job = u64::from(self.job.sample(rng));
                *queue += job;
                step.generated += job;
            }
        }

        // 3. Each processor with an empty queue asks a random one. 4. Each asked processor chooses
        //    among those that asked it …
        self.asked.fill((0, 0));
        for recipient in 0..processors {
            if self.queues[recipient] == 0 {
                step.requests += 1;
                let (requests, chosen) = &mut self.asked[rng.random_range(0..processors)];
                *requests += 1;
                if rng.random_range(0..*requests) == 0 {
                    *chosen = recipient;
                }
            }
        }
        // … and gives f of its load.
        self.gained.fill(0);
        self.given.fill(0);
        for (processor, &(requests, recipient)) in self.asked.iter().enumerate() {
            if requests > 0 {
                let jobs = self.steal.jobs(self.queues[processor]);
                self.given[processor] = jobs;
                self.gained[recipient] = jobs;
                step.steals += u64::from(jobs > 0);
                step.moved += jobs;
            }
        }

        // 5. The work is shared, then each queue processes one job.
        for (queue, (gained, given)) in self
            .queues
            .iter_mut()
            .zip(self.gained.iter().zip(&self.given))
        {
            let shared = *queue + gained - given;
            step.served += u64::from(shared > 0);
            *queue = shared.saturating_sub(1);
            step.load += *queue;
            step.longest = step.longest.max(*queue);
        }
        self.step += 1;
        step
    }
}
