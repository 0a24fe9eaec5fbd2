//! Has the load settled?

use super::blocks::{BLOCKS, Blocks};
use crate::von_neumann::von_neumann_ratio;

/// η has to exceed this for "stable".
///
/// For reflected Brownian motion from 0 the 99 % quantile of η is 1.194 with 8 samples to a block
/// and less with more; with drift upwards, a higher start or several motions added up it is
/// smaller. `calibration.rs` repeats this.
pub(super) const THRESHOLD: f64 = 1.2;

/// The trend has to stay below this for "stable". A settled load passes it, by Student's
/// distribution with 30 degrees of freedom, in 5 runs of 100.
pub(super) const TREND: f64 = 1.7;

/// How the block means scatter.
pub(super) struct Settling {
    /// Von Neumann's ratio of the block means.
    pub(super) eta: f64,
    /// The slope of the regression line through the block means, in its standard errors as of
    /// independent block means.
    pub(super) trend: f64,
}

impl Settling {
    pub(super) fn measure(blocks: &Blocks) -> Self {
        if blocks.all_equal() {
            return Self {
                eta: 2.0,
                trend: 0.0,
            };
        }
        Self {
            eta: von_neumann_ratio(&blocks.means),
            trend: trend(blocks),
        }
    }

    /// Whether the load moves about a level that it keeps returning to.
    pub(super) fn is_shown(&self) -> bool {
        self.eta > THRESHOLD && self.trend < TREND
    }
}

/// t = slope / √(residual variance / Σ(k − mean k)²), the residual variance with divisor K − 2.
fn trend(blocks: &Blocks) -> f64 {
    let y = &blocks.means;
    let k = BLOCKS as f64;
    let middle = (k - 1.0) / 2.0;
    let level = y.iter().sum::<f64>() / k;
    let time = |i: usize| i as f64 - middle;
    let sxx: f64 = (0..BLOCKS).map(|i| time(i).powi(2)).sum();
    let slope = (0..BLOCKS).map(|i| time(i) * (y[i] - level)).sum::<f64>() / sxx;
    let residuals: f64 = (0..BLOCKS)
        .map(|i| (y[i] - level - slope * time(i)).powi(2))
        .sum();
    let deviation = (residuals / (k - 2.0)).sqrt().max(blocks.resolution());
    slope * sxx.sqrt() / deviation
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processes::{AR1, TESTS, implausible, normal};

    /// Independent block means of deviation 1 about a line that climbs by `growth` over the run.
    fn noisy_line(run: u64, growth: f64) -> Settling {
        let mut stream = TESTS.stream(AR1, run, 50);
        let means = core::array::from_fn(|i| {
            100.0 + growth * i as f64 / BLOCKS as f64 + normal(&mut stream)
        });
        Settling::measure(&Blocks {
            means,
            length: 1000,
        })
    }

    /// Growth over the run of 2.5 deviations of a block mean is missed in 1 run of 100, and a load
    /// without growth is called settled in about 94 of 100. Error rate of each assertion: 1e-4.
    #[test]
    fn growth_hidden_in_noise() {
        let settled = |growth| {
            (0..2000)
                .filter(|&run| noisy_line(run, growth).is_shown())
                .count()
        };
        assert!(
            (settled(2.5) as u64) < implausible(0.01, 2000),
            "{}",
            settled(2.5)
        );
        assert!(
            (2000 - settled(0.0) as u64) < implausible(0.06, 2000),
            "{}",
            settled(0.0)
        );
        // Half a deviation is not detected, as the module page says.
        assert!(settled(0.5) > 1500, "{}", settled(0.5));
    }

    #[test]
    fn the_trend_is_that_of_the_textbook() {
        // y = k + (−1)^k: slope (Sxx − 16)/Sxx with Sxx = 2728.
        let means = core::array::from_fn(|i| i as f64 + if i % 2 == 0 { 1.0 } else { -1.0 });
        let settling = Settling::measure(&Blocks {
            means,
            length: 1000,
        });
        let (sxx, sxy) = (2728.0, 2728.0 - 16.0);
        let residuals = 2728.0 + 32.0 - 32.0 - sxy * sxy / sxx;
        assert!((settling.trend - sxy / f64::sqrt(sxx * residuals / 30.0)).abs() < 1e-9);
    }
}
