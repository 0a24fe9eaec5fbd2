//! The natural process against exact answers, and against a transcription of its figure.
//!
//! A statistical test states the probability that a correct program fails it. Seeds are fixed, so a
//! test passes always or never.

mod accounts;
mod coupled;
mod figure;
mod figure2;
mod grouped;
mod laws;
mod lemma20;
mod stationary;

use figure::Process;
use filch_policy::steal::StealFunction;
use filch_random::Seed;
use filch_sim::natural::{Generators, Natural};
use filch_workload::Probability;

const PLACEMENTS: [&str; 9] = [
    "each", "one", "k:2", "uniform", "roam", "rotate", "longest", "shortest", "zipf:1.5",
];

fn process(n: usize, lambda: f64, steal: &str, placement: &str) -> Process {
    Process {
        n,
        lambda,
        steal: steal.parse().unwrap(),
        placement: placement.parse().unwrap(),
    }
}

impl Process {
    fn lambda(&self) -> Probability {
        Probability::new(self.lambda).unwrap()
    }

    fn fast(&self, seed: u64, replication: u64) -> Natural<Generators, StealFunction> {
        let generators = Generators::new(self.placement, self.n, self.lambda()).unwrap();
        Natural::new(self.n, generators, self.steal, Seed::new(seed), replication)
    }
}
