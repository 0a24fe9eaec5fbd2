//! Generators that do not move.

use filch_random::Stream;
use filch_workload::{Place, Probability};

use super::Generate;
use super::trials::Trials;
use crate::natural::queues::Queues;

/// Generators that stay where they are.
#[derive(Clone, Debug)]
pub struct Fixed {
    ranges: Vec<HostRange>,
}

/// Neighbouring hosts with the same number of generators each.
#[derive(Clone, Debug)]
struct HostRange {
    first: usize,
    hosts: usize,
    generators: u32,
    jobs: Trials,
}

impl Fixed {
    /// The generators where `place` puts them in step 0, which must not take a random number.
    pub(super) fn new(mut place: impl Place, processors: usize, lambda: Probability) -> Self {
        debug_assert!(place.is_fixed());
        let mut hosted = vec![0; processors];
        // A fixed placement draws nothing, so any stream will do.
        let unused = &mut filch_random::Seed::default().stream(super::super::ARRIVALS, 0, 0);
        place.place(0, unused, &mut hosted);
        let mut ranges: Vec<HostRange> = Vec::new();
        for (processor, &generators) in hosted.iter().enumerate() {
            match ranges.last_mut() {
                _ if generators == 0 => {}
                Some(range)
                    if range.generators == generators && range.first + range.hosts == processor =>
                {
                    range.hosts += 1;
                }
                _ => ranges.push(HostRange {
                    first: processor,
                    hosts: 1,
                    generators,
                    jobs: Trials::new(generators, lambda),
                }),
            }
        }
        Self { ranges }
    }
}

impl Generate for Fixed {
    fn generate(&mut self, _: u64, rng: &mut Stream, queues: &mut Queues) -> u64 {
        let mut generated = 0;
        for range in &self.ranges {
            for host in range.first..range.first + range.hosts {
                let jobs = range.jobs.sample(rng);
                queues.add(host, jobs);
                generated += jobs;
            }
        }
        generated
    }
}
