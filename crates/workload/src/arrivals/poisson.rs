//! Poisson batches.

use std::fmt;

use rand_distr::Poisson;

use crate::error::Invalid;
use crate::number::Short;

/// The mean of a batch, λ in PI section 2.1: from 0 to [`BatchMean::MAX`] jobs a slot.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct BatchMean(f64);

impl BatchMean {
    /// The largest mean.
    ///
    /// A batch is counted in 32 bits. At a mean of 10⁹ the standard deviation of a Poisson batch is
    /// 31 623, so that `u32::MAX` lies a hundred thousand of them away and no batch comes near it.
    pub const MAX: f64 = 1e9;

    pub(crate) const NEEDS: &str = "the mean batch must be a number from 0 to 1000000000";

    /// The mean `jobs`, if it lies between 0 and [`BatchMean::MAX`].
    pub fn new(jobs: f64) -> Result<Self, Invalid> {
        Self::checked(jobs).ok_or_else(|| Invalid::value(Short(jobs), Self::NEEDS))
    }

    pub(crate) fn checked(jobs: f64) -> Option<Self> {
        // Adding zero turns -0 into 0, which prints as it is typed.
        (0.0..=Self::MAX)
            .contains(&jobs)
            .then_some(Self(jobs + 0.0))
    }

    /// The mean in jobs.
    pub fn get(self) -> f64 {
        self.0
    }

    /// The Poisson distribution with this mean; `None` for a mean of zero.
    ///
    /// rand_distr multiplies uniform numbers below a mean of 12 (Knuth) and from there on corrects
    /// a normal number (Ahrens and Dieter 1982), so that a draw costs at most thirteen uniform
    /// numbers on average. Both are exact up to rounding.
    pub(super) fn distribution(self) -> Option<Poisson<f64>> {
        (self.0 > 0.0).then(|| Poisson::new(self.0).expect("a positive mean below the bound"))
    }
}

impl fmt::Display for BatchMean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Short(self.0).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_drawn_from, p_value, stream};
    use rand_distr::Distribution;
    use statrs::distribution::Discrete;

    #[test]
    fn the_bounds_are_kept() {
        for jobs in [0.0, -0.0, 0.1, 1e9] {
            assert_eq!(BatchMean::new(jobs).unwrap().get(), jobs);
        }
        for jobs in [-1e-9, 1.1e9, f64::NAN, f64::INFINITY] {
            assert!(BatchMean::new(jobs).is_err(), "{jobs}");
        }
        assert_eq!(
            BatchMean::new(-2.5).unwrap_err().to_string(),
            "-2.5: the mean batch must be a number from 0 to 1000000000"
        );
        assert_eq!(BatchMean::new(-0.0).unwrap().to_string(), "0");
    }

    const SAMPLES: u32 = 2_000_000;

    /// Counts `samples` Poisson batches in cells `width` wide over six standard deviations on both
    /// sides of the mean, the outermost cells taking the rest, and gives the cells' probabilities.
    fn poisson_cells(mean: f64, width: usize, samples: u32, index: u64) -> (Vec<u64>, Vec<f64>) {
        let reach = 6.0 * mean.sqrt() + 6.0;
        let low = (mean - reach).max(0.0) as usize;
        let cells = 2 * reach as usize / width + 1;
        let cell = |jobs: usize| (jobs.saturating_sub(low) / width).min(cells - 1);

        let law = statrs::distribution::Poisson::new(mean).unwrap();
        let mut probabilities = vec![0.0; cells];
        for jobs in 0..(mean + 3.0 * reach) as usize {
            probabilities[cell(jobs)] += law.pmf(jobs as u64);
        }
        let mut rng = stream(index);
        let batches = BatchMean::new(mean).unwrap().distribution().unwrap();
        let mut observed = vec![0; cells];
        for _ in 0..samples {
            observed[cell(batches.sample(&mut rng) as usize)] += 1;
        }
        (observed, probabilities)
    }

    /// Small means, both sides of 12, where rand_distr changes its method, and large ones. Each is
    /// a chi-square test that a right sampler fails once in 10 000 times.
    #[test]
    fn poisson_batches_have_their_distribution() {
        let means = [
            (0.1, 1),
            (1.0, 1),
            (11.9, 1),
            (12.1, 1),
            (95.0, 1),
            (500.0, 4),
            (1e5, 40),
        ];
        for (index, (mean, width)) in means.into_iter().enumerate() {
            let (observed, probabilities) = poisson_cells(mean, width, SAMPLES, 10 + index as u64);
            assert_drawn_from(&probabilities, &observed);
        }
    }

    /// The same test notices a mean that is wrong by one in a hundred.
    #[test]
    fn a_wrong_mean_is_noticed() {
        let (observed, _) = poisson_cells(12.0, 1, SAMPLES, 20);
        let (_, wrong) = poisson_cells(12.12, 1, 1, 20);
        assert!(p_value(&observed, &wrong) < 1e-6);
    }
}
