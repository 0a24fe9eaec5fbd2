//! Generators that are placed anew in every step.

use filch_random::Stream;
use filch_workload::Probability;
use rand_distr::{Binomial, Distribution};

use super::Generate;
use super::trials::binomial;
use crate::natural::groups::{CACHED, GROUP, Groups};
use crate::natural::queues::Queues;
use crate::natural::uniform::below;

/// Generators that are each anew on a random processor in every step.
///
/// With more processors than a cache holds queues of, the hosts are grouped before their queues
/// gain the jobs. The order does not matter to the queues.
#[derive(Clone, Debug)]
pub struct Scattered {
    processors: u32,
    jobs: Binomial,
    groups: Option<Groups<u32>>,
}

impl Scattered {
    pub(super) fn new(processors: u32, lambda: Probability) -> Self {
        Self {
            processors,
            jobs: binomial(processors, lambda),
            groups: (processors as usize > CACHED).then(|| Groups::new(processors as usize, GROUP)),
        }
    }
}

impl Generate for Scattered {
    fn generate(&mut self, _: u64, rng: &mut Stream, queues: &mut Queues) -> u64 {
        let jobs = self.jobs.sample(rng);
        let Some(groups) = &mut self.groups else {
            for _ in 0..jobs {
                queues.add(below(self.processors, rng) as usize, 1);
            }
            return jobs;
        };
        for _ in 0..jobs {
            let host = below(self.processors, rng);
            groups.push_if(true, host, host);
        }
        for group in 0..groups.count() {
            for &host in groups.records(group) {
                queues.add(host as usize, 1);
            }
            groups.clear(group);
        }
        jobs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_random::{Purpose, Seed};

    /// Grouped or not, the same random numbers give the same queues.
    #[test]
    fn groups_do_not_matter() {
        let lambda = Probability::new(0.8).unwrap();
        let mut single = Scattered::new(1000, lambda);
        let mut grouped = Scattered {
            groups: Some(Groups::new(1000, 64)),
            ..single.clone()
        };
        let stream = || Seed::new(3).stream(Purpose::named("tests"), 0, 0);
        let (mut one, mut other) = (stream(), stream());
        let (mut queues, mut again) = (Queues::empty(1000), Queues::empty(1000));
        for step in 0..5 {
            let jobs = single.generate(step, &mut one, &mut queues);
            assert_eq!(grouped.generate(step, &mut other, &mut again), jobs);
            assert_eq!(queues, again);
        }
    }
}
