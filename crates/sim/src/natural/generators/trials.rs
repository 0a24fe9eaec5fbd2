//! The jobs of several generators on one processor.

use filch_workload::Probability;
use rand::Rng;
use rand::distr::Bernoulli;
use rand_distr::{Binomial, Distribution};

/// Up to this many generators, one Bernoulli sample for each costs less than one binomial sample.
const FEW: u32 = 12;

/// The number of jobs that some generators make in a step: Binomial(generators, λ).
#[derive(Clone, Copy, Debug)]
pub(super) enum Trials {
    Few { generators: u32, job: Bernoulli },
    Many(Binomial),
}

impl Trials {
    pub(super) fn new(generators: u32, lambda: Probability) -> Self {
        if generators <= FEW {
            Self::Few {
                generators,
                job: bernoulli(lambda),
            }
        } else {
            Self::Many(binomial(generators, lambda))
        }
    }

    #[inline]
    pub(super) fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> u64 {
        match self {
            Self::Few { generators, job } => {
                (0..*generators).map(|_| u64::from(job.sample(rng))).sum()
            }
            Self::Many(jobs) => jobs.sample(rng),
        }
    }
}

fn bernoulli(lambda: Probability) -> Bernoulli {
    Bernoulli::new(lambda.get()).expect("λ is a probability")
}

pub(super) fn binomial(generators: u32, lambda: Probability) -> Binomial {
    Binomial::new(generators.into(), lambda.get()).expect("λ is a probability")
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_random::{Purpose, Seed};

    /// Frequencies against the binomial probabilities, by chi-square. A correct sampler fails one
    /// of these tests with probability 0.001.
    #[test]
    fn binomial_frequencies() {
        let mut rng = Seed::default().stream(Purpose::named("tests"), 1, 0);
        for generators in [1, 3, FEW, FEW + 1, 100] {
            for lambda in [0.1, 0.5, 0.9, 0.99] {
                let trials = Trials::new(generators, Probability::new(lambda).unwrap());
                let mut counts = vec![0; generators as usize + 1];
                for _ in 0..20_000 {
                    counts[trials.sample(&mut rng) as usize] += 1;
                }
                let p = filch_stats::chi_square(&counts, &probabilities(generators, lambda));
                assert!(
                    p.is_none_or(|p| p > 5e-5),
                    "{generators} at {lambda}: {p:?}"
                );
            }
        }
    }

    fn probabilities(generators: u32, lambda: f64) -> Vec<f64> {
        // One generator after the other: it makes a job or does not.
        let mut row = vec![1.0];
        for _ in 0..generators {
            let mut next = vec![0.0; row.len() + 1];
            for (jobs, probability) in row.iter().enumerate() {
                next[jobs] += probability * (1.0 - lambda);
                next[jobs + 1] += probability * lambda;
            }
            row = next;
        }
        row
    }

    #[test]
    fn the_bounds() {
        let mut rng = Seed::default().stream(Purpose::named("tests"), 2, 0);
        for generators in [0, 1, FEW, 1000] {
            for (lambda, jobs) in [(0.0, 0), (1.0, u64::from(generators))] {
                let trials = Trials::new(generators, Probability::new(lambda).unwrap());
                assert_eq!(trials.sample(&mut rng), jobs);
            }
        }
    }
}
