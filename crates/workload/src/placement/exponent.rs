//! The exponent of a Zipf placement.

use std::fmt;

use crate::error::Invalid;
use crate::number::Short;

/// How uneven a Zipf placement is: a finite number, at least 0. At 0 all processors are alike.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Exponent(f64);

impl Exponent {
    pub(crate) const NEEDS: &str = "the exponent must be a finite number, at least 0";

    /// The exponent `value`, if it is finite and not negative.
    pub fn new(value: f64) -> Result<Self, Invalid> {
        Self::checked(value).ok_or_else(|| Invalid::value(Short(value), Self::NEEDS))
    }

    pub(crate) fn checked(value: f64) -> Option<Self> {
        // Adding zero turns -0 into 0, which prints as it is typed.
        (value >= 0.0 && value.is_finite()).then_some(Self(value + 0.0))
    }

    /// The number itself.
    pub fn get(self) -> f64 {
        self.0
    }

    /// The weights 1, 2^−S, …, n^−S of n processors.
    pub(super) fn weights(self, processors: u32) -> impl Iterator<Item = f64> {
        (1..=processors).map(move |i| f64::from(i).powf(-self.0))
    }
}

impl fmt::Display for Exponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Short(self.0).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_are_kept() {
        for value in [0.0, 1.5, f64::MAX] {
            assert_eq!(Exponent::new(value).unwrap().get(), value);
        }
        for value in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(Exponent::new(value).is_err(), "{value}");
        }
        assert_eq!(Exponent::new(-0.0).unwrap().to_string(), "0");
        assert_eq!(
            Exponent::new(-2.0).unwrap_err().to_string(),
            "-2: the exponent must be a finite number, at least 0"
        );
    }

    #[test]
    fn weights_fall_with_the_exponent() {
        let weights = |s| Exponent::new(s).unwrap().weights(4).collect::<Vec<_>>();
        assert_eq!(weights(0.0), [1.0; 4]);
        assert_eq!(weights(1.0), [1.0, 0.5, 1.0 / 3.0, 0.25]);
        assert_eq!(weights(f64::MAX), [1.0, 0.0, 0.0, 0.0]);
    }
}
