//! Generators that move together.

use filch_random::Stream;
use filch_workload::Probability;
use rand_distr::{Binomial, Distribution};

use super::Generate;
use super::trials::binomial;
use crate::natural::queues::Queues;

/// All generators on one processor: the next one in every step.
#[derive(Clone, Debug)]
pub struct Rotating {
    processors: u32,
    jobs: Binomial,
}

impl Rotating {
    pub(super) fn new(processors: u32, lambda: Probability) -> Self {
        Self {
            processors,
            jobs: binomial(processors, lambda),
        }
    }
}

impl Generate for Rotating {
    fn generate(&mut self, step: u64, rng: &mut Stream, queues: &mut Queues) -> u64 {
        let jobs = self.jobs.sample(rng);
        queues.add((step % u64::from(self.processors)) as usize, jobs);
        jobs
    }
}
