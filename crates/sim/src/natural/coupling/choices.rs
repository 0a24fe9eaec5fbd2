//! The random choices of a step.

use filch_workload::{Lengths, Place};
use num_bigint::BigUint;
use rand::{Rng, RngExt};
use rand_distr::Distribution;

use super::Coupling;

/// The random choices of a step, which both chains share.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    /// How many jobs each processor's generators make.
    pub(super) jobs: Vec<u64>,
    /// r: the processor that each processor asks.
    pub(super) asks: Vec<Option<usize>>,
    /// The recipient that each asked processor chose among those that asked it.
    pub(super) chosen: Vec<Option<usize>>,
}

/// What an adversary sees of X: lengths beyond 64 bits are alike.
struct ExactLengths<'a>(&'a [BigUint]);

impl Lengths for ExactLengths<'_> {
    fn processors(&self) -> usize {
        self.0.len()
    }

    fn length(&self, processor: usize) -> u64 {
        u64::try_from(&self.0[processor]).unwrap_or(u64::MAX)
    }
}

impl<P: Place, F> Coupling<P, F> {
    /// Draws the choices of a step from the state of X.
    pub(super) fn draw<R: Rng>(&mut self, step: u64, rng: &mut R) -> Choices {
        let n = self.queues.len();
        let mut hosted = vec![0; n];
        let seen = ExactLengths(&self.queues);
        self.place.place_seeing(step, &seen, rng, &mut hosted);
        let mut make = |generators: u32| -> u64 {
            (0..generators)
                .map(|_| u64::from(self.job.sample(rng)))
                .sum()
        };
        let jobs: Vec<u64> = hosted.into_iter().map(&mut make).collect();
        let mut asks = vec![None; n];
        let mut chosen = vec![None; n];
        let mut count = vec![0u32; n];
        for recipient in 0..n {
            if self.queues[recipient] == BigUint::ZERO && jobs[recipient] == 0 {
                let processor = rng.random_range(0..n);
                asks[recipient] = Some(processor);
                count[processor] += 1;
                if rng.random_range(0..count[processor]) == 0 {
                    chosen[processor] = Some(recipient);
                }
            }
        }
        Choices { jobs, asks, chosen }
    }
}
