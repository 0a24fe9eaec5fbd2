//! Numbers that no float holds.

use std::fmt;

use num_bigint::BigUint;
use num_traits::ToPrimitive;

/// A number with more bits than this is known by its logarithm.
pub(super) const MOST_BITS: u64 = 1 << 16;

/// A positive number of any size: exact as long as it has at most 2¹⁶ bits, by its logarithm beyond
/// that, and by the height of its tower of powers when even that overflows a float.
#[derive(Clone, Debug, PartialEq)]
pub enum Large {
    /// The number itself.
    Exact(BigUint),
    /// Its decimal logarithm; the number is beyond 2^(2¹⁶).
    Log10(f64),
    /// 2^2^…^2 with about this many twos.
    Tower(u64),
}

impl Large {
    /// The decimal logarithm, where a float holds it. That of 0 is 0 here.
    pub fn log10(&self) -> Option<f64> {
        match self {
            Self::Exact(number) => Some(log10(number)),
            Self::Log10(log10) => Some(*log10),
            Self::Tower(_) => None,
        }
    }

    /// The number itself, where it is known exactly.
    pub fn exact(&self) -> Option<&BigUint> {
        match self {
            Self::Exact(number) => Some(number),
            _ => None,
        }
    }

    /// This times `factor`; exact if this is.
    pub(super) fn times(&self, factor: u64) -> Self {
        match self {
            Self::Exact(number) => Self::Exact(number * factor),
            Self::Log10(log) => Self::Log10(log + (factor as f64).log10()),
            Self::Tower(height) => Self::Tower(*height),
        }
    }

    /// This plus `more`; exact if this is, and beyond 2¹⁶ bits `more` makes no difference.
    pub(super) fn plus(&self, more: &BigUint) -> Self {
        match self {
            Self::Exact(number) => Self::Exact(number + more),
            larger => larger.clone(),
        }
    }
}

/// From the leading 64 bits, so that it does not overflow.
fn log10(number: &BigUint) -> f64 {
    let shift = number.bits().saturating_sub(64);
    let leading = (number >> shift).to_f64().expect("64 bits");
    leading.max(1.0).log10() + shift as f64 * 2f64.log10()
}

impl From<BigUint> for Large {
    fn from(number: BigUint) -> Self {
        Self::Exact(number)
    }
}

impl fmt::Display for Large {
    /// As people read it: a number of up to 15 digits as it is, others as a power of ten.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(number) if number.bits() < 50 => write!(f, "{number}"),
            Self::Tower(height) => write!(f, "2^2^…^2 ({height} high)"),
            other => {
                let log10 = other.log10().expect("no tower");
                if log10 < 1e6 {
                    let whole = log10.floor();
                    write!(f, "{:.3}·10^{whole}", 10f64.powf(log10 - whole))
                } else {
                    write!(f, "10^({log10:.4e})")
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn as_text() {
        for (number, text) in [
            (Large::Exact(0u8.into()), "0"),
            (Large::Exact(123_456u32.into()), "123456"),
            (
                Large::Exact(BigUint::from(10u8).pow(100) * 3u8),
                "3.000·10^100",
            ),
            (Large::Log10(1e7), "10^(1.0000e7)"),
            (Large::Tower(40), "2^2^…^2 (40 high)"),
        ] {
            assert_eq!(number.to_string(), text);
        }
    }

    proptest! {
        #[test]
        fn logarithms(number in 1..u64::MAX, zeros in 0..500u32) {
            let large = Large::Exact(BigUint::from(number) * BigUint::from(10u8).pow(zeros));
            let expected = (number as f64).log10() + f64::from(zeros);
            prop_assert!((large.log10().unwrap() - expected).abs() < 1e-9);
        }
    }
}
