//! Estimates and their confidence intervals.

use core::fmt;

use crate::{Confidence, Moments, TooFew};

/// A closed interval of real numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub lo: f64,
    /// The upper end.
    pub hi: f64,
}

impl Interval {
    /// Whether `value` lies within, ends included.
    pub fn contains(&self, value: f64) -> bool {
        self.lo <= value && value <= self.hi
    }
}

/// A mean with its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimated mean.
    pub mean: f64,
    /// Half the width of the confidence interval around it.
    pub half_width: f64,
    /// The level of that interval.
    pub confidence: Confidence,
    /// How many independent values went into it.
    pub n: u64,
}

impl Estimate {
    /// The Student interval for the mean of independent values, mean ± t·√(variance / n) with n − 1
    /// degrees of freedom. Exact for normal values, and good for means of many things, which are
    /// nearly normal.
    pub fn from_moments(moments: &Moments, confidence: Confidence) -> Result<Self, TooFew> {
        let (Some(mean), Some(error)) = (moments.mean(), moments.std_error()) else {
            return Err(TooFew {
                needed: 2,
                got: moments.count() as usize,
            });
        };
        let n = moments.count();
        Ok(Self {
            mean,
            half_width: confidence.student(n - 1) * error,
            confidence,
            n,
        })
    }

    /// The confidence interval.
    pub fn interval(&self) -> Interval {
        Interval {
            lo: self.mean - self.half_width,
            hi: self.mean + self.half_width,
        }
    }

    /// The half-width as a fraction of the mean: 0.01 is "to within one per cent".
    pub fn relative_error(&self) -> f64 {
        self.half_width / self.mean.abs()
    }
}

impl fmt::Display for Estimate {
    /// `12.5 ± 0.3 (95 %, n = 10)`; a precision, as in `{:.1}`, applies to both numbers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.mean, f)?;
        f.write_str(" ± ")?;
        fmt::Display::fmt(&self.half_width, f)?;
        write!(f, " ({}, n = {})", self.confidence, self.n)
    }
}

/// The mean over independent replications of a run, one value from each.
///
/// The values are independent by construction: each run has its own streams. The bias of an empty
/// start remains; cut the warm-up first.
pub fn replications(values: &[f64], confidence: Confidence) -> Result<Estimate, TooFew> {
    Estimate::from_moments(&values.iter().collect(), confidence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worked_example() {
        // Mean 3, variance 2.5, t with 4 degrees of freedom 2.776445.
        let estimate = replications(&[1.0, 2.0, 3.0, 4.0, 5.0], Confidence::NINETY_FIVE).unwrap();
        assert_eq!((estimate.mean, estimate.n), (3.0, 5));
        assert!((estimate.half_width - 2.776_445 * 0.5f64.sqrt()).abs() < 1e-6);
        assert!(estimate.interval().contains(1.1) && !estimate.interval().contains(1.0));
        assert!((estimate.relative_error() - estimate.half_width / 3.0).abs() < 1e-15);
        assert_eq!(format!("{estimate:.1}"), "3.0 ± 2.0 (95 %, n = 5)");
    }

    #[test]
    fn one_value_has_no_spread() {
        let alone = replications(&[1.0], Confidence::NINETY_FIVE);
        assert_eq!(alone, Err(TooFew { needed: 2, got: 1 }));
    }
}
