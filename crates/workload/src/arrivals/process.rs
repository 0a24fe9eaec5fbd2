//! Drawing one batch after the other.

use std::sync::Arc;

use rand::Rng;
use rand::distr::Bernoulli;
use rand_distr::{Distribution, Poisson};

use super::poisson::BatchMean;
use crate::probability::Probability;

/// A running arrival process, made by [`Arrivals::start`](super::Arrivals::start).
///
/// A clone continues from the same place; it shares the batches of a trace with its original.
///
/// ```
/// use filch_random::{Purpose, Seed};
/// use filch_workload::Arrivals;
///
/// let mut batches = Arrivals::poisson(500.0)?.start()?;
/// assert_eq!((batches.mean(), batches.variance()), (500.0, 500.0));
///
/// let mut rng = Seed::default().stream(Purpose::named("arrivals"), 0, 0);
/// let total: u64 = (0..1000).map(|_| u64::from(batches.next_batch(&mut rng))).sum();
/// assert!((490_000..510_000).contains(&total));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct BatchProcess {
    source: Source,
    mean: f64,
    variance: f64,
}

#[derive(Clone, Debug)]
enum Source {
    Poisson(Poisson<f64>),
    Bernoulli(Bernoulli),
    Constant(u32),
    Trace { batches: Arc<[u32]>, next: usize },
}

impl BatchProcess {
    pub(super) fn poisson(mean: BatchMean) -> Self {
        // A mean of zero has no distribution; every batch is empty.
        let source = mean
            .distribution()
            .map_or(Source::Constant(0), Source::Poisson);
        let mean = mean.get();
        Self {
            source,
            mean,
            variance: mean,
        }
    }

    pub(super) fn bernoulli(probability: Probability) -> Self {
        let p = probability.get();
        let coin = Bernoulli::new(p).expect("a probability is between 0 and 1");
        Self {
            source: Source::Bernoulli(coin),
            mean: p,
            variance: p * (1.0 - p),
        }
    }

    pub(super) fn constant(jobs: u32) -> Self {
        Self {
            source: Source::Constant(jobs),
            mean: f64::from(jobs),
            variance: 0.0,
        }
    }

    /// Replays `batches`, of which there is at least one.
    pub(super) fn replay(batches: Vec<u32>) -> Self {
        let count = batches.len() as f64;
        let total: u64 = batches.iter().map(|&jobs| u64::from(jobs)).sum();
        let mean = total as f64 / count;
        let squares: f64 = batches
            .iter()
            .map(|&jobs| (f64::from(jobs) - mean).powi(2))
            .sum();
        let source = Source::Trace {
            batches: batches.into(),
            next: 0,
        };
        Self {
            source,
            mean,
            variance: squares / count,
        }
    }

    /// The number of jobs that arrive in the next slot.
    ///
    /// Constant arrivals and traces leave `rng` alone.
    #[inline]
    pub fn next_batch<R: Rng + ?Sized>(&mut self, rng: &mut R) -> u32 {
        match &mut self.source {
            Source::Poisson(poisson) => poisson.sample(rng) as u32,
            Source::Bernoulli(coin) => u32::from(coin.sample(rng)),
            Source::Constant(jobs) => *jobs,
            Source::Trace { batches, next } => {
                let jobs = batches[*next];
                *next = if *next + 1 == batches.len() {
                    0
                } else {
                    *next + 1
                };
                jobs
            }
        }
    }

    /// The mean batch, λ in PI section 2.1. For a trace, the average over its batches.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The variance of a batch, σ_a² in PI section 2.1. For a trace, the average squared deviation
    /// of its batches from their mean.
    pub fn variance(&self) -> f64 {
        self.variance
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Arrivals;
    use crate::testing::stream;

    fn process(name: &str) -> BatchProcess {
        name.parse::<Arrivals>().unwrap().start().unwrap()
    }

    /// The average of n batches has standard deviation √(σ²/n), and their mean square deviation
    /// √((μ₄ − σ⁴)/n); a right sampler is five of them away once in 1.7 million times.
    #[test]
    fn moments_are_those_announced() {
        let cases = [
            ("poisson:0.1", 0.1 + 3.0 * 0.01),
            ("poisson:500", 500.0 + 3.0 * 500.0 * 500.0),
            ("poisson:1e5", 1e5 + 3e10),
            ("poisson:1e9", 1e9 + 3e18),
            ("bernoulli:0.3", 0.21 * (1.0 - 3.0 * 0.21)),
        ];
        for (index, (name, fourth)) in cases.into_iter().enumerate() {
            const N: usize = 200_000;
            let mut batches = process(name);
            let (mean, variance) = (batches.mean(), batches.variance());
            let mut rng = stream(30 + index as u64);
            let (mut average, mut spread) = (0.0, 0.0);
            for _ in 0..N {
                let deviation = f64::from(batches.next_batch(&mut rng)) - mean;
                average += deviation / N as f64;
                spread += deviation * deviation / N as f64;
            }
            let tolerance = 5.0 * (variance / N as f64).sqrt();
            assert!(average.abs() < tolerance, "{name}: mean off by {average}");
            let tolerance = 5.0 * ((fourth - variance * variance) / N as f64).sqrt();
            assert!(
                (spread - variance).abs() < tolerance,
                "{name}: variance {spread}"
            );
        }
    }

    #[test]
    fn certain_arrivals_are_certain() {
        let mut rng = stream(40);
        let cases = [
            ("poisson:0", 0),
            ("bernoulli:0", 0),
            ("bernoulli:1", 1),
            ("constant:7", 7),
        ];
        for (name, jobs) in cases {
            let mut batches = process(name);
            assert!(
                (0..1000).all(|_| batches.next_batch(&mut rng) == jobs),
                "{name}"
            );
            assert_eq!(
                (batches.mean(), batches.variance()),
                (f64::from(jobs), 0.0),
                "{name}"
            );
        }
    }

    #[test]
    fn a_trace_starts_again_and_knows_its_moments() {
        let mut batches = BatchProcess::replay(vec![3, 0, u32::MAX]);
        let mut rng = stream(41);
        let mut draw = |from: &mut BatchProcess| from.next_batch(&mut rng);
        assert_eq!(draw(&mut batches), 3);
        let mut clone = batches.clone();
        let replayed: Vec<_> = (0..5).map(|_| draw(&mut batches)).collect();
        assert_eq!(replayed, [0, u32::MAX, 3, 0, u32::MAX]);
        assert_eq!(
            draw(&mut clone),
            0,
            "a clone goes on where its original was"
        );

        let batches = BatchProcess::replay(vec![1, 2, 3, 6]);
        assert_eq!((batches.mean(), batches.variance()), (3.0, 3.5));
        let batches = BatchProcess::replay(vec![5]);
        assert_eq!((batches.mean(), batches.variance()), (5.0, 0.0));
    }

    #[test]
    fn what_needs_no_randomness_uses_none() {
        for mut batches in [process("constant:2"), BatchProcess::replay(vec![1, 2])] {
            let (mut used, mut fresh) = (stream(42), stream(42));
            batches.next_batch(&mut used);
            assert_eq!(used.next_u64(), fresh.next_u64());
        }
    }

    /// Published results depend on these numbers: a change here is to be announced.
    #[test]
    fn samples_are_pinned() {
        let cases: [(&str, [u32; 6]); 4] = [
            ("poisson:0.9", [1, 1, 2, 0, 1, 0]),
            ("poisson:500", [496, 494, 507, 517, 515, 459]),
            ("poisson:1e5", [99946, 99919, 100105, 100244, 100221, 99433]),
            ("bernoulli:0.5", [1, 0, 1, 0, 0, 0]),
        ];
        for (name, pinned) in cases {
            let mut rng = stream(1);
            let mut batches = process(name);
            assert_eq!(
                [(); 6].map(|()| batches.next_batch(&mut rng)),
                pinned,
                "{name}"
            );
        }
    }
}
