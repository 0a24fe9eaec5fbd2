use filch_random::Stream;
use filch_workload::{Place, Probability};

use super::Generate;
use super::trials::Trials;
use crate::natural::queues::Queues;

/// Generators that stay where they are.
#[derive(Clone, Debug)]
pub struct Fixed {
    /// Neighbouring hosts of equally many generators.
    runs: Vec<Run>,
}

#[derive(Clone, Debug)]
struct Run {
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
        let mut runs: Vec<Run> = Vec::new();
        for (processor, &generators) in hosted.iter().enumerate() {
            match runs.last_mut() {
                _ if generators == 0 => {}
                Some(run) if run.generators == generators && run.first + run.hosts == processor => {
                    run.hosts += 1;
                }
                _ => runs.push(Run {
                    first: processor,
                    hosts: 1,
                    generators,
                    jobs: Trials::new(generators, lambda),
                }),
            }
        }
        Self { runs }
    }
}

impl Generate for Fixed {
    fn generate(&mut self, _: u64, rng: &mut Stream, queues: &mut Queues) -> u64 {
        let mut generated = 0;
        for run in &self.runs {
            for host in run.first..run.first + run.hosts {
                let jobs = run.jobs.sample(rng);
                queues.add(host, jobs);
                generated += jobs;
            }
        }
        generated
    }
}
