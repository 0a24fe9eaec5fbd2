//! The transitions of both chains on given choices.

use num_bigint::BigUint;

use super::Coupling;
use super::choices::Choices;

impl<P, F: Fn(&BigUint) -> BigUint> Coupling<P, F> {
    /// Figure 1, parts 2, 4 and 5.
    pub(super) fn move_x(&mut self, choices: &Choices) {
        for (queue, &jobs) in self.queues.iter_mut().zip(&choices.jobs) {
            *queue += jobs;
        }
        let before = self.queues.clone();
        for (processor, recipient) in choices.chosen.iter().enumerate() {
            if let Some(recipient) = *recipient {
                let jobs = (self.steal)(&before[processor]);
                self.queues[processor] -= &jobs;
                self.queues[recipient] += jobs;
            }
        }
        for queue in &mut self.queues {
            *queue = minus(queue, 1);
        }
    }

    /// Figure 2, parts 2, 4 and 5.
    pub(super) fn move_z(&mut self, choices: &Choices) {
        for (processor, light) in self.light.iter_mut().enumerate() {
            if self.splits[processor].is_none() {
                *light += choices.jobs[processor];
            }
        }
        let before = (self.splits.clone(), self.light.clone());
        for (processor, recipient) in choices.chosen.iter().enumerate() {
            let Some(recipient) = *recipient else {
                continue;
            };
            if let Some(splits) = before.0[processor] {
                self.splits[processor] = Some(splits + 1);
                self.splits[recipient] = Some(splits + 1);
            }
            let jobs = (self.steal)(&before.1[processor]);
            self.light[processor] -= &jobs;
            self.light[recipient] += jobs;
        }
        for (light, splits) in self.light.iter_mut().zip(&self.splits) {
            *light = match splits {
                Some(_) => BigUint::ZERO,
                None => minus(light, 1),
            };
        }
    }
}

/// load − jobs, but not below 0.
pub(super) fn minus(load: &BigUint, jobs: u64) -> BigUint {
    let jobs = BigUint::from(jobs);
    if *load > jobs {
        load - jobs
    } else {
        BigUint::ZERO
    }
}
