//! Generators that are placed anew in every step.

use filch_random::Stream;
use filch_workload::Probability;
use rand_distr::{Binomial, Distribution};

use super::Generate;
use super::trials::binomial;
use crate::natural::queues::Queues;
use crate::natural::uniform::below;

/// Generators that are each anew on a random processor in every step.
#[derive(Clone, Debug)]
pub struct Scattered {
    processors: u32,
    jobs: Binomial,
}

impl Scattered {
    pub(super) fn new(processors: u32, lambda: Probability) -> Self {
        Self {
            processors,
            jobs: binomial(processors, lambda),
        }
    }
}

impl Generate for Scattered {
    fn generate(&mut self, _: u64, rng: &mut Stream, queues: &mut Queues) -> u64 {
        let jobs = self.jobs.sample(rng);
        for _ in 0..jobs {
            queues.add(below(self.processors, rng) as usize, 1);
        }
        jobs
    }
}
