//! The load: arrivals as a fraction of the total capacity.

use std::fmt;
use std::str::FromStr;

use crate::error::Invalid;
use crate::number::{self, Short};

/// The fraction of the servers' total capacity that the arrivals need on average.
///
/// PI section 4.1 studies arrival rates 0 < λ < Σμ, and its figures have the load λ/Σμ on their
/// horizontal axis. Below 1 a good policy keeps the queues finite; from 1 on none can. Such a load
/// is made by [`Load::with_overload`] alone.
///
/// ```
/// use filch_workload::Load;
///
/// let load = Load::new(0.99)?;
/// assert_eq!(load.rate(550.0), 544.5);
/// # Ok::<(), filch_workload::Invalid>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Load(f64);

impl Load {
    const NEEDS: &str = "a load is between 0 and 1, both excluded: 0.9 means that the arrivals \
                         ask for nine tenths of the total capacity";
    const NEEDS_WITH_OVERLOAD: &str =
        "a load is above 0 and finite: 1.2 means that a fifth more arrives than can be served";

    /// A load that can be served: 0 < `fraction` < 1.
    pub fn new(fraction: f64) -> Result<Self, Invalid> {
        Self::checked(fraction).ok_or_else(|| Invalid::value(Short(fraction), Self::NEEDS))
    }

    /// Any positive load, also one under which the queues grow for ever.
    pub fn with_overload(fraction: f64) -> Result<Self, Invalid> {
        if fraction > 0.0 && fraction.is_finite() {
            Ok(Self(fraction))
        } else {
            Err(Invalid::value(Short(fraction), Self::NEEDS_WITH_OVERLOAD))
        }
    }

    fn checked(fraction: f64) -> Option<Self> {
        (fraction > 0.0 && fraction < 1.0).then_some(Self(fraction))
    }

    /// The fraction itself.
    pub fn get(self) -> f64 {
        self.0
    }

    /// The arrival rate λ = load × Σμ, in jobs per slot, for servers whose mean capacities add up
    /// to `total_capacity` jobs per slot.
    pub fn rate(self, total_capacity: f64) -> f64 {
        self.0 * total_capacity
    }
}

/// Reads what [`Load::new`] accepts.
impl FromStr for Load {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        number::real(text)
            .and_then(Self::checked)
            .ok_or_else(|| Invalid::value(text, Self::NEEDS))
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Short(self.0).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bad_loads_are_explained() {
        for text in [
            "0", "1", "1.2", "-0.5", "90%", "", " 0.9", "+0.9", "nan", "inf",
        ] {
            let message = text.parse::<Load>().unwrap_err().to_string();
            let expected = "a load is between 0 and 1, both excluded: \
                            0.9 means that the arrivals ask for nine tenths of the total capacity";
            assert_eq!(message.split_once(": ").unwrap().1, expected, "{text}");
        }
        let message = "1.2".parse::<Load>().unwrap_err().to_string();
        assert!(message.starts_with("1.2: a load is"), "{message}");
        for fraction in [0.0, 1.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Load::new(fraction).is_err(), "{fraction}");
        }
    }

    #[test]
    fn overload_is_allowed_where_it_is_asked_for() {
        for fraction in [0.5, 1.0, 1.2, 100.0] {
            assert_eq!(Load::with_overload(fraction).unwrap().get(), fraction);
        }
        for fraction in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Load::with_overload(fraction).is_err(), "{fraction}");
        }
        assert_eq!(
            Load::with_overload(0.0).unwrap_err().to_string(),
            "0: a load is above 0 and finite: \
             1.2 means that a fifth more arrives than can be served"
        );
    }

    #[test]
    fn the_rate_is_a_share_of_the_capacity() {
        assert_eq!(Load::new(0.5).unwrap().rate(190.0), 95.0);
        assert_eq!(Load::with_overload(2.0).unwrap().rate(190.0), 380.0);
    }

    proptest! {
        #[test]
        fn loads_are_read_as_printed(fraction in f64::MIN_POSITIVE..1.0) {
            let load = Load::new(fraction)?;
            prop_assert_eq!(load.to_string().parse(), Ok(load));
        }
    }
}
