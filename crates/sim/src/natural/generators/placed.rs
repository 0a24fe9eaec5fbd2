//! Generators at a user's placement.

use filch_random::Stream;
use filch_workload::{Place, Probability};

use super::Generate;
use super::trials::Trials;
use crate::natural::queues::Queues;

/// Generators that a [`Place`] allocates step by step: any placement, including a user's, and an
/// adversary's, who sees the queues.
#[derive(Clone, Debug)]
pub struct Placed<P> {
    place: P,
    hosted: Vec<u32>,
    is_placed: bool,
    lambda: Probability,
}

impl<P: Place> Placed<P> {
    /// As many generators as `processors`, each making a job with probability λ in every step.
    pub fn new(place: P, processors: usize, lambda: Probability) -> Self {
        Self {
            place,
            hosted: vec![0; processors],
            is_placed: false,
            lambda,
        }
    }
}

impl<P: Place> Generate for Placed<P> {
    /// # Panics
    ///
    /// If the placement does not allocate every generator exactly once.
    fn generate(&mut self, step: u64, rng: &mut Stream, queues: &mut Queues) -> u64 {
        if !(self.is_placed && self.place.is_fixed()) {
            self.place.place_seeing(step, queues, rng, &mut self.hosted);
            self.is_placed = true;
            let placed: u64 = self.hosted.iter().copied().map(u64::from).sum();
            let generators = self.hosted.len() as u64;
            assert_eq!(placed, generators, "every generator has one host");
        }
        let mut generated = 0;
        for (host, &generators) in self.hosted.iter().enumerate() {
            if generators > 0 {
                let jobs = Trials::new(generators, self.lambda).sample(rng);
                queues.add(host, jobs);
                generated += jobs;
            }
        }
        generated
    }
}
