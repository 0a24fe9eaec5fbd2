//! Comparison of two systems on common random numbers.

use core::fmt;

use crate::{Confidence, Estimate, Moments, TooFew};

/// Two systems compared run by run on the same random numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paired {
    /// The mean of first − second.
    pub difference: Estimate,
    /// The correlation of the two series; `None` if one of them is constant.
    pub correlation: Option<f64>,
    /// (variance of first + variance of second) / variance of the difference: how many times more
    /// independent runs would have been needed for an interval as narrow. `None` if the difference
    /// is the same in every run.
    pub variance_reduction: Option<f64>,
    /// What follows at the confidence that was asked for.
    pub comparison: Comparison,
}

/// Which of two systems has the smaller mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// The whole interval of first − second lies below 0.
    FirstSmaller,
    /// The whole interval lies above 0.
    SecondSmaller,
    /// The interval contains 0. That shows no difference; it does not show that there is none.
    NoDifferenceShown,
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::FirstSmaller => "first smaller",
            Self::SecondSmaller => "second smaller",
            Self::NoDifferenceShown => "no difference shown",
        })
    }
}

/// Why two series cannot be compared in pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotPaired {
    /// There are fewer than two pairs.
    TooFew(TooFew),
    /// A value has no partner.
    Lengths {
        /// Values in the first series.
        first: usize,
        /// Values in the second series.
        second: usize,
    },
}

impl fmt::Display for NotPaired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFew(error) => error.fmt(f),
            Self::Lengths { first, second } => {
                write!(
                    f,
                    "a paired comparison needs series of one length, got {first} and {second}"
                )
            }
        }
    }
}

impl core::error::Error for NotPaired {}

impl From<TooFew> for NotPaired {
    fn from(error: TooFew) -> Self {
        Self::TooFew(error)
    }
}

/// Compares `first` and `second`, whose i-th values come from runs on the same random streams.
///
/// With common random numbers both systems meet the same arrivals, so their values are positively
/// correlated and the variance of the difference is smaller: Var(a − b) = Var a + Var b − 2·Cov(a,
/// b). The differences are independent from run to run, so Student's interval holds for them
/// whatever the correlation (Law, *Simulation Modeling and Analysis*, on variance reduction).
pub fn paired(first: &[f64], second: &[f64], confidence: Confidence) -> Result<Paired, NotPaired> {
    if first.len() != second.len() {
        return Err(NotPaired::Lengths {
            first: first.len(),
            second: second.len(),
        });
    }
    let a: Moments = first.iter().collect();
    let b: Moments = second.iter().collect();
    let differences: Moments = first.iter().zip(second).map(|(x, y)| x - y).collect();
    let difference = Estimate::from_moments(&differences, confidence)?;

    let (saa, sbb) = (a.sum_of_squares(), b.sum_of_squares());
    let spread = differences.sum_of_squares();
    let interval = difference.interval();
    Ok(Paired {
        difference,
        correlation: (saa > 0.0 && sbb > 0.0).then(|| {
            let mean_a = a.mean().unwrap_or_default();
            let mean_b = b.mean().unwrap_or_default();
            let cross = |(x, y): (&f64, &f64)| (x - mean_a) * (y - mean_b);
            let sab: f64 = first.iter().zip(second).map(cross).sum();
            (sab / (saa.sqrt() * sbb.sqrt())).clamp(-1.0, 1.0)
        }),
        variance_reduction: (spread > 0.0).then(|| (saa + sbb) / spread),
        comparison: if interval.hi < 0.0 {
            Comparison::FirstSmaller
        } else if interval.lo > 0.0 {
            Comparison::SecondSmaller
        } else {
            Comparison::NoDifferenceShown
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processes::{TESTS, implausible, normal};
    use filch_random::Purpose;

    const PAIRS: Purpose = Purpose::named("pairs");

    /// `n` pairs with correlation `rho`, unit variances and means `shift` and 0.
    fn pairs(run: u64, n: usize, rho: f64, shift: f64) -> (Vec<f64>, Vec<f64>) {
        let mut stream = TESTS.stream(PAIRS, run, 0);
        (0..n)
            .map(|_| {
                let (common, own) = (normal(&mut stream), normal(&mut stream));
                (
                    shift + common,
                    rho * common + (1.0 - rho * rho).sqrt() * own,
                )
            })
            .unzip()
    }

    /// ρ = 0.99: the variance falls 100-fold, since Var(a − b) = 2(1 − ρ). Over 4000 pairs the
    /// measured factor has a relative deviation of about √(4/4000) ≈ 3 %; five of them.
    #[test]
    fn pairing_reduces_the_variance() {
        let (a, b) = pairs(5000, 4000, 0.99, 0.0);
        let result = paired(&a, &b, Confidence::NINETY_FIVE).unwrap();
        assert!(
            (result.variance_reduction.unwrap() / 100.0 - 1.0).abs() < 0.16,
            "{result:?}"
        );
        assert!(
            (result.correlation.unwrap() - 0.99).abs() < 0.002,
            "{result:?}"
        );
    }

    /// The same with 20 pairs, seen in the interval. Two sample variances whose true ratio is 100
    /// change places with probability below 1e-12 (F distribution, 19 and 19 degrees of freedom).
    #[test]
    fn pairing_narrows_the_interval() {
        for run in 0..200 {
            let (a, b) = pairs(run, 20, 0.99, 0.0);
            let unrelated = pairs(run + 1000, 20, 0.0, 0.0).1;
            let together = paired(&a, &b, Confidence::NINETY_FIVE).unwrap();
            let apart = paired(&a, &unrelated, Confidence::NINETY_FIVE).unwrap();
            assert!(
                together.difference.half_width < apart.difference.half_width,
                "run {run}"
            );
        }
    }

    /// Without a difference each verdict "smaller" has probability 2.5 %; with one of 0.5, which is
    /// 16 standard errors at ρ = 0.99, none may be missed and none reversed.
    #[test]
    fn verdicts_err_as_often_as_they_say() {
        let verdict = |run, shift| {
            let (a, b) = pairs(run, 20, 0.99, shift);
            paired(&a, &b, Confidence::NINETY_FIVE).unwrap().comparison
        };
        let mut wrong = 0;
        for run in 0..2000 {
            wrong += u64::from(verdict(run, 0.0) != Comparison::NoDifferenceShown);
            assert_eq!(verdict(run, 0.5), Comparison::SecondSmaller);
            assert_eq!(verdict(run, -0.5), Comparison::FirstSmaller);
        }
        // 0.05 · 2000 = 100 expected; too few would be as wrong as too many (four deviations).
        assert!((61..implausible(0.05, 2000)).contains(&wrong), "{wrong}");
    }

    /// Variances 2 and 18 and one of 8 for the difference: 20 / 8, whichever series comes first.
    #[test]
    fn unequal_variances_both_count() {
        for (first, second) in [([0.0, 2.0], [0.0, 6.0]), ([0.0, 6.0], [0.0, 2.0])] {
            let result = paired(&first, &second, Confidence::NINETY_FIVE).unwrap();
            assert_eq!(result.variance_reduction, Some(2.5));
        }
    }

    #[test]
    fn degenerate_series() {
        let confidence = Confidence::NINETY_FIVE;
        let shifted = paired(&[1.0, 2.0, 3.0], &[2.0, 3.0, 4.0], confidence).unwrap();
        assert_eq!(shifted.difference.mean, -1.0);
        assert!((shifted.correlation.unwrap() - 1.0).abs() < 1e-15);
        assert_eq!(shifted.variance_reduction, None);
        assert_eq!(shifted.comparison, Comparison::FirstSmaller);

        let constant = paired(&[1.0, 1.0], &[1.0, 1.0], confidence).unwrap();
        assert_eq!(constant.correlation, None);
        assert_eq!(constant.comparison.to_string(), "no difference shown");

        let uneven = paired(&[1.0, 2.0], &[1.0], confidence).unwrap_err();
        assert_eq!(
            uneven.to_string(),
            "a paired comparison needs series of one length, got 2 and 1"
        );
        let alone = paired(&[1.0], &[1.0], confidence);
        assert_eq!(alone, Err(NotPaired::TooFew(TooFew { needed: 2, got: 1 })));
    }
}
