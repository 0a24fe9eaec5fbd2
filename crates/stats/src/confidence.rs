//! Confidence levels and Student's quantiles.

use core::fmt;

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// Beyond this many degrees of freedom the first term of the expansion about the normal quantile,
/// t = z + (z³ + z)/4ν + (5z⁵ + 16z³ + 3z)/96ν² + …, is off by less than 10⁻⁷ up to 99 % and by
/// less than 10⁻⁶ up to 99.99 %, while the general inversion loses digits (four are left at 10⁶)
/// and takes ever longer.
const ASYMPTOTIC: u64 = 10_000;

/// A confidence level: the fraction of intervals, over many runs, that contain the truth.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Confidence(f64);

impl Confidence {
    /// 90 %.
    pub const NINETY: Self = Self(0.90);
    /// 95 %, the custom of the field.
    pub const NINETY_FIVE: Self = Self(0.95);
    /// 99 %.
    pub const NINETY_NINE: Self = Self(0.99);

    /// A level strictly between 0 and 1.
    pub fn new(level: f64) -> Result<Self, BadConfidence> {
        if level > 0.0 && level < 1.0 {
            Ok(Self(level))
        } else {
            Err(BadConfidence { level })
        }
    }

    /// The level as a fraction, 0.95 for 95 %.
    pub const fn level(self) -> f64 {
        self.0
    }

    /// The t with P(|T| ≤ t) = level for Student's distribution with `freedom` degrees of freedom:
    /// the half-width of an interval, in standard errors.
    ///
    /// # Panics
    ///
    /// If `freedom` is 0.
    pub fn student(self, freedom: u64) -> f64 {
        let p = 0.5 + self.0 / 2.0;
        if freedom > ASYMPTOTIC {
            let z = Normal::standard().inverse_cdf(p);
            return z + (z.powi(3) + z) / (4.0 * freedom as f64);
        }
        StudentsT::new(0.0, 1.0, freedom as f64)
            .expect("Student's distribution has at least one degree of freedom")
            .inverse_cdf(p)
    }
}

impl Default for Confidence {
    fn default() -> Self {
        Self::NINETY_FIVE
    }
}

impl TryFrom<f64> for Confidence {
    type Error = BadConfidence;

    fn try_from(level: f64) -> Result<Self, BadConfidence> {
        Self::new(level)
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Rounding hides that 0.999 × 100 is not quite 99.9 in binary.
        write!(f, "{} %", (self.0 * 1e8).round() / 1e6)
    }
}

/// A confidence level that is not between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BadConfidence {
    /// The level that was asked for.
    pub level: f64,
}

impl fmt::Display for BadConfidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a confidence level lies between 0 and 1, such as 0.95; got {}",
            self.level
        )
    }
}

impl core::error::Error for BadConfidence {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table values, as printed in Law, *Simulation Modeling and Analysis*, and everywhere else.
    #[test]
    fn student_quantiles_are_the_printed_ones() {
        let table = [
            (Confidence::NINETY_FIVE, 1, 12.7062),
            (Confidence::NINETY_FIVE, 10, 2.2281),
            (Confidence::NINETY_FIVE, 31, 2.0395),
            (Confidence::NINETY_FIVE, 10_000, 1.9602),
            (Confidence::NINETY_FIVE, 10_001, 1.9602),
            (Confidence::NINETY_FIVE, u64::MAX, 1.95996),
            (Confidence::NINETY, 4, 2.1318),
            (Confidence::NINETY_NINE, 2, 9.9248),
        ];
        for (confidence, freedom, printed) in table {
            let t = confidence.student(freedom);
            assert!((t - printed).abs() < 1e-4, "{confidence} at {freedom}: {t}");
        }
    }

    /// Quantiles computed to 14 digits by inverting the incomplete beta function.
    #[test]
    fn the_expansion_is_as_precise_as_stated() {
        let exact = [
            (0.90, 1.6450060028302, 1.644868864785, 1e-7),
            (0.95, 1.9602012161646, 1.9599877075346, 1e-7),
            (0.99, 2.5763209974903, 2.5758784699084, 1e-7),
            (0.9999, 3.8921618265194, 3.8907488453858, 1e-6),
        ];
        for (level, at_10_001, at_100_000, error) in exact {
            let confidence = Confidence::new(level).unwrap();
            for (freedom, t) in [(10_001, at_10_001), (100_000, at_100_000)] {
                let off = confidence.student(freedom) - t;
                assert!(off.abs() < error, "{confidence} at {freedom}: {off:e}");
            }
        }
    }

    #[test]
    fn levels_are_checked() {
        for level in [0.0, 1.0, -0.5, 95.0, f64::NAN] {
            assert!(Confidence::new(level).is_err(), "{level}");
        }
        assert_eq!(Confidence::new(0.95), Ok(Confidence::NINETY_FIVE));
        assert_eq!(
            Confidence::new(95.0).unwrap_err().to_string(),
            "a confidence level lies between 0 and 1, such as 0.95; got 95"
        );
    }

    #[test]
    fn printed_as_percentage() {
        assert_eq!(Confidence::NINETY_FIVE.to_string(), "95 %");
        assert_eq!(Confidence::new(0.999).unwrap().to_string(), "99.9 %");
    }
}
