//! A checked probability.

use std::fmt;
use std::str::FromStr;

use crate::error::Invalid;
use crate::number::{self, Short};

/// A probability, between 0 and 1, both included.
///
/// BFG03 section 2 calls λ the probability with which each generator makes a job in a step; with n
/// generators and n processors it is also the load of the system.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Probability(f64);

impl Probability {
    const NEEDS: &str = "a probability is between 0 and 1, both included: \
                         0.9 means that a generator makes a job in nine steps out of ten";

    /// The probability `value`, if it is one.
    pub fn new(value: f64) -> Result<Self, Invalid> {
        Self::checked(value).ok_or_else(|| Invalid::value(Short(value), Self::NEEDS))
    }

    pub(crate) fn checked(value: f64) -> Option<Self> {
        // Adding zero turns -0 into 0, which prints as it is typed.
        (0.0..=1.0).contains(&value).then_some(Self(value + 0.0))
    }

    /// The number itself.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl FromStr for Probability {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        number::real(text)
            .and_then(Self::checked)
            .ok_or_else(|| Invalid::value(text, Self::NEEDS))
    }
}

impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Short(self.0).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_bounds_are_probabilities() {
        for (text, value) in [("0", 0.0), ("1", 1.0), ("1e-3", 0.001)] {
            assert_eq!(text.parse::<Probability>().unwrap().get(), value);
        }
        assert_eq!(Probability::new(-0.0).unwrap().to_string(), "0");
    }

    #[test]
    fn what_is_none_is_explained() {
        assert_eq!(
            "1.5".parse::<Probability>().unwrap_err().to_string(),
            "1.5: a probability is between 0 and 1, both included: \
             0.9 means that a generator makes a job in nine steps out of ten"
        );
        for text in ["", "-0.1", "-0", "+1", "nan", "1.0000001", "1/2", " 1"] {
            assert!(text.parse::<Probability>().is_err(), "{text}");
        }
        for value in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert!(Probability::new(value).is_err(), "{value}");
        }
    }

    proptest! {
        #[test]
        fn probabilities_are_read_as_printed(value in 0.0..=1.0) {
            let probability = Probability::new(value)?;
            prop_assert_eq!(probability.to_string().parse(), Ok(probability));
        }
    }
}
