//! Generators that jump together.

use filch_random::Stream;
use filch_workload::Probability;
use rand_distr::{Binomial, Distribution};

use super::Generate;
use super::trials::binomial;
use crate::natural::queues::Queues;
use crate::natural::uniform::below;

/// All generators on one processor, which is drawn anew in every step.
#[derive(Clone, Debug)]
pub struct Roaming {
    processors: u32,
    jobs: Binomial,
}

impl Roaming {
    pub(super) fn new(processors: u32, lambda: Probability) -> Self {
        Self {
            processors,
            jobs: binomial(processors, lambda),
        }
    }
}

impl Generate for Roaming {
    fn generate(&mut self, _: u64, rng: &mut Stream, queues: &mut Queues) -> u64 {
        let host = below(self.processors, rng);
        let jobs = self.jobs.sample(rng);
        queues.add(host as usize, jobs);
        jobs
    }
}
