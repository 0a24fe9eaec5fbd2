//! Does the load grow?

use super::blocks::{BLOCKS, Blocks};
use crate::{Confidence, Estimate, Moments};

/// Both [`Growth::t`] and [`Growth::bend`] have to exceed this for "unstable".
///
/// Calibrated on sums of N reflected Brownian motions from 0, N = 1, 2, 4 … 64. The 99 % quantile
/// of min(t, bend) is largest near N = 4, at 1.96 if they are independent and at 2.44 if what
/// drives one of them is missing from the others. `calibration.rs` repeats it.
pub(super) const THRESHOLD: f64 = 2.5;

/// Increments of block means, K − 1.
const STEPS: f64 = (BLOCKS - 1) as f64;

/// For a walk, neighbouring increments of block means share half a block and have correlation
/// 1/4; so their sum has 1 + 2/4 times the variance that independent ones would give it.
const OVERLAP: f64 = 1.5;

/// A quarter of the blocks, the first point of the bend.
const QUARTER: usize = BLOCKS / 4;

/// How the load grows from block to block.
pub(super) struct Growth {
    /// Growth per sample, with the interval of a random walk with drift.
    pub(super) drift: Estimate,
    /// Growth over the run in its standard errors, as of a random walk.
    pub(super) t: f64,
    /// Growth beyond what √time would have made of the growth in the first quarter, in its
    /// standard errors.
    pub(super) bend: f64,
}

impl Growth {
    pub(super) fn measure(blocks: &Blocks) -> Self {
        let y = &blocks.means;
        let increments: Moments = y.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let spread = increments
            .std_dev()
            .unwrap_or_default()
            .max(blocks.resolution());
        // The standard error of Y_K − Y_1.
        let error = spread * (OVERLAP * STEPS).sqrt();
        let growth = y[BLOCKS - 1] - y[0];
        let early = y[QUARTER - 1] - y[0];
        let expected = sqrt_growth();
        let samples = STEPS * blocks.length as f64;
        let confidence = Confidence::NINETY_FIVE;
        let n = BLOCKS as u64 - 1;
        let ratio = |x: f64, error: f64| if x == 0.0 { 0.0 } else { x / error };
        Self {
            drift: Estimate {
                mean: growth / samples,
                half_width: confidence.student(n - 1) * error / samples,
                confidence,
                n,
            },
            t: ratio(growth, error),
            bend: ratio(growth - expected * early, error * bend_error(expected)),
        }
    }

    /// Whether the growth is clear, and steady enough to go on.
    pub(super) fn is_shown(&self) -> bool {
        self.t > THRESHOLD && self.bend > THRESHOLD
    }
}

/// (Y_K − Y_1) / (Y_{K/4} − Y_1) for a load that grows like √time; about 2.39.
fn sqrt_growth() -> f64 {
    // ∫ √s ds over block k, in units of blocks.
    let mean = |k: usize| ((k as f64).powf(1.5) - (k as f64 - 1.0).powf(1.5)) / 1.5;
    (mean(BLOCKS) - mean(1)) / (mean(QUARTER) - mean(1))
}

/// The standard deviation of (Y_K − Y_1) − r·(Y_{K/4} − Y_1), relative to that of Y_K − Y_1, for
/// independent increments.
fn bend_error(r: f64) -> f64 {
    let early = (QUARTER - 1) as f64 / STEPS;
    ((1.0 - early) + early * (r - 1.0).powi(2)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processes::{BROWNIAN, TESTS, normal};

    fn measure(load: impl Fn(f64) -> f64) -> Growth {
        let load: Vec<f64> = (0..3200)
            .map(|i| load((f64::from(i) + 0.5) / 3200.0))
            .collect();
        Growth::measure(&Blocks::cut(&load).unwrap())
    }

    #[test]
    fn shapes_of_growth() {
        assert!(measure(|time| 1000.0 * time).is_shown());
        assert!(measure(|time| time * time).is_shown());
        // The transient of a large critical farm: clear growth, but exactly as √time.
        let root = measure(f64::sqrt);
        assert!(
            root.t > 5.0 && root.bend.abs() < 0.1,
            "{} {}",
            root.t,
            root.bend
        );
        // Coming down from a high start looks bent upwards, but does not grow.
        let falling = measure(|time| (-5.0 * time).exp());
        assert!(falling.bend > 0.0 && falling.t < 0.0 && !falling.is_shown());
    }

    /// A noiseless approach to a limit, 1 − e^(−time/τ), is taken for growth by any test if the run
    /// is short enough. Here three τ suffice to see the bend, and one does not.
    #[test]
    fn a_limit_must_come_into_sight() {
        assert!(!measure(|time| 1.0 - (-3.0 * time).exp()).is_shown());
        assert!(measure(|time| 1.0 - (-time).exp()).is_shown());
    }

    #[test]
    fn an_exact_line_gives_finite_numbers() {
        let line = measure(|time| time);
        assert!(line.t.is_finite() && line.bend.is_finite());
        assert!((line.drift.mean * 3200.0 - 1.0).abs() < 1e-9);
    }

    /// A normal random walk with drift 1/2 far above 0, 2000 runs of 640 steps: the interval is
    /// binomially often right, standard deviation 9.7 around 1900. It is not exact (MA(1)
    /// increments, K − 2 degrees of freedom), so five deviations plus 1 % are allowed; without
    /// the factor for overlap it would cover only 89 % of the time.
    #[test]
    fn drift_intervals_cover() {
        let covered = (0..2000)
            .filter(|&run| {
                let mut stream = TESTS.stream(BROWNIAN, run, 40);
                let mut x = 1000.0;
                let step = |_| {
                    x += 0.5 + normal(&mut stream);
                    x
                };
                let load: Vec<f64> = (0..640).map(step).collect();
                Growth::measure(&Blocks::cut(&load).unwrap())
                    .drift
                    .interval()
                    .contains(0.5)
            })
            .count();
        assert!((1831..=1969).contains(&covered), "{covered}");
    }
}
