#![doc = include_str!("README.md")]

mod blocks;
#[cfg(test)]
mod calibration;
mod growth;
#[cfg(test)]
mod known;
mod settled_after;
mod settling;
mod unfit;
mod verdict;

pub use settled_after::verdict_after;
pub use unfit::Unfit;
pub use verdict::{UnknownVerdict, Verdict};

use crate::{Estimate, mser5};
use blocks::{BLOCKS, Blocks};
use growth::Growth;
use settling::Settling;

/// α: at most this often is a system called unstable that is not (see the module page for which
/// systems that holds).
pub const ERROR_UNSTABLE: f64 = 0.01;

/// β: at most this often is a system called stable that is not (see the module page for the two
/// exceptions).
pub const ERROR_STABLE: f64 = 0.01;

/// A verdict takes at least this many samples, 8 to a block. With fewer, block means of a walk look
/// more independent than the thresholds allow for.
pub const MIN_SAMPLES: usize = 8 * BLOCKS;

/// A verdict and what it rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stability {
    /// The verdict.
    pub verdict: Verdict,
    /// Growth per sample, with the 95 % interval that holds if the load is a random walk with
    /// drift. If the load has settled the interval is wider than it need be.
    pub drift: Estimate,
    /// Growth over the run in its standard errors; "unstable" takes more than 2.5.
    pub t: f64,
    /// Growth beyond what √time explains, in its standard errors; "unstable" takes more than 2.5.
    pub bend: f64,
    /// Von Neumann's ratio of the block means; "stable" takes more than 1.2.
    pub eta: f64,
    /// Slope through the block means in its standard errors; "stable" takes less than 1.7.
    pub trend: f64,
    /// The mean load after the warm-up cut; there is one only if the verdict is "stable".
    pub load: Option<f64>,
}

/// Judges a trajectory: the total load, sampled at equal distances, from the start of the run.
///
/// ```
/// use filch_stats::stability::{Verdict, assess};
///
/// let idle = assess(&[0.0; 1000])?;
/// assert_eq!(idle.verdict, Verdict::Stable);
///
/// let growing: Vec<f64> = (0..1000).map(|step| f64::from(step / 10)).collect();
/// assert_eq!(assess(&growing)?.verdict, Verdict::Unstable);
/// # Ok::<(), filch_stats::stability::Unfit>(())
/// ```
pub fn assess(load: &[f64]) -> Result<Stability, Unfit> {
    let blocks = Blocks::cut(load)?;
    let growth = Growth::measure(&blocks);
    let settling = Settling::measure(&blocks);
    // At most one of the two is shown, see the module page.
    let verdict = if growth.is_shown() {
        Verdict::Unstable
    } else if settling.is_shown() {
        Verdict::Stable
    } else {
        Verdict::Undecided
    };
    let settled = (verdict == Verdict::Stable)
        .then(|| mser5(load))
        .transpose()?;
    Ok(Stability {
        verdict,
        drift: growth.drift,
        t: growth.t,
        bend: growth.bend,
        eta: settling.eta,
        trend: settling.trend,
        load: settled.map(|warm_up| {
            let rest = warm_up.rest(load);
            rest.iter().sum::<f64>() / rest.len() as f64
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Growth and settling exclude each other, whatever the load does: here as noise about a
        /// line with a jump at either end.
        #[test]
        fn never_both(
            noise in prop::collection::vec(0.0..1.0f64, BLOCKS),
            (slope, first, last) in (0.0..1.0f64, 0.0..40.0f64, 0.0..40.0f64),
        ) {
            let mut means = [40.0; BLOCKS];
            for (k, mean) in means.iter_mut().enumerate() {
                *mean += noise[k] + slope * k as f64;
            }
            means[0] -= first;
            means[BLOCKS - 1] += last;
            let blocks = Blocks { means, length: 8 };
            let (growth, settling) = (Growth::measure(&blocks), Settling::measure(&blocks));
            prop_assert!(!(growth.is_shown() && settling.is_shown()));
            prop_assert!(growth.t < 2.5 || settling.eta < 0.28);
        }
    }

    /// Twenty samples of 20 before a load that moves between 10 and 12: they are cut.
    #[test]
    fn the_warm_up_is_not_part_of_the_load() {
        let load: Vec<f64> = (0..3200)
            .map(|i| match i {
                0..20 => 20.0,
                _ if i / 100 % 2 == 0 => 10.0,
                _ => 12.0,
            })
            .collect();
        let result = assess(&load).unwrap();
        assert_eq!(result.verdict, Verdict::Stable);
        // Of the 1600 samples that would be 10, twenty are the warm-up.
        let exact = (1580.0 * 10.0 + 1600.0 * 12.0) / 3180.0;
        assert!((result.load.unwrap() - exact).abs() < 1e-12, "{result:?}");
    }

    #[test]
    fn constants_are_stable() {
        for level in [0.0, 0.1, 1e300] {
            let result = assess(&[level; 300]).unwrap();
            assert_eq!(result.verdict, Verdict::Stable);
            assert_eq!(
                (result.t, result.bend, result.eta, result.trend),
                (0.0, 0.0, 2.0, 0.0)
            );
            assert!((result.load.unwrap() / level - 1.0).abs() < 1e-12 || level == 0.0);
        }
    }

    #[test]
    fn ties_and_periods_are_stable() {
        let alternating: Vec<f64> = (0..1000).map(|i| f64::from(i % 2)).collect();
        assert_eq!(assess(&alternating).unwrap().verdict, Verdict::Stable);
        let period: Vec<f64> = (0..1000).map(|i| f64::from(i % 7) / 3.0).collect();
        assert_eq!(assess(&period).unwrap().verdict, Verdict::Stable);
    }

    /// One late burst is not growth: a single jump has t near 1, however high it is.
    #[test]
    fn a_burst_at_the_end_is_not_growth() {
        let mut load = vec![0.0; 3200];
        load[3100..].fill(1e6);
        let result = assess(&load).unwrap();
        assert_ne!(result.verdict, Verdict::Unstable, "{result:?}");
    }

    #[test]
    fn falling_from_a_high_start_is_not_growth() {
        let load: Vec<f64> = (0..10_000)
            .map(|i| f64::from(i32::max(9000 - i, 0)))
            .collect();
        assert_eq!(assess(&load).unwrap().verdict, Verdict::Undecided);
    }

    #[test]
    fn units_do_not_matter() {
        let wave = |i: i32| f64::from(i) + 40.0 * f64::from(i * 37 % 101);
        let load: Vec<f64> = (0..1000).map(wave).collect();
        let scaled: Vec<f64> = load.iter().map(|x| x * 1024.0).collect();
        let (a, b) = (assess(&load).unwrap(), assess(&scaled).unwrap());
        assert_eq!(
            (a.verdict, a.t, a.bend, a.eta),
            (b.verdict, b.t, b.bend, b.eta)
        );
    }
}
