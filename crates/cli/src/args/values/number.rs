//! Numbers within a range.

use std::str::FromStr;

/// A whole number from `LEAST` to `MOST`, typed in digits alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Whole<const LEAST: u64, const MOST: u64 = { u64::MAX }>(u64);

impl<const LEAST: u64, const MOST: u64> Whole<LEAST, MOST> {
    /// The number itself.
    pub(crate) fn get(self) -> u64 {
        self.0
    }

    /// The number as a size. Limits are set so that it fits on every machine with 64 bits.
    pub(crate) fn size(self) -> usize {
        self.0 as usize
    }

    /// What a bad number is told.
    pub(crate) fn needs() -> String {
        format!("a whole number from {LEAST} to {MOST}")
    }
}

impl<const LEAST: u64, const MOST: u64> TryFrom<i128> for Whole<LEAST, MOST> {
    type Error = String;

    fn try_from(number: i128) -> Result<Self, String> {
        let number = u64::try_from(number).ok();
        let number = number.filter(|number| (LEAST..=MOST).contains(number));
        number.map(Self).ok_or_else(Self::needs)
    }
}

impl<const LEAST: u64, const MOST: u64> FromStr for Whole<LEAST, MOST> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // The standard library also reads a leading plus.
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|_: &i128| digits);
        let whole = number.and_then(|number| Self::try_from(number).ok());
        whole.ok_or_else(|| format!("'{}' is not {}", text.escape_debug(), Self::needs()))
    }
}

/// A finite number without a sign, as `0.5`, `.5` or `1e3`.
pub(crate) fn real(text: &str) -> Option<f64> {
    let begins = text.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.filter(|_| begins)
}

/// A number between 0 and 1, both excluded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fraction(f64);

impl Fraction {
    pub(crate) fn get(self) -> f64 {
        self.0
    }
}

impl FromStr for Fraction {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = real(text).filter(|&number| 0.0 < number && number < 1.0);
        number.map(Self).ok_or_else(|| {
            format!(
                "'{}' is not a number between 0 and 1, both excluded",
                text.escape_debug()
            )
        })
    }
}

/// A number above 0, up to 10¹².
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Positive(f64);

impl Positive {
    const MOST: f64 = 1e12;

    pub(crate) fn get(self) -> f64 {
        self.0
    }
}

impl FromStr for Positive {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = real(text).filter(|&number| 0.0 < number && number <= Self::MOST);
        number.map(Self).ok_or_else(|| {
            format!(
                "'{}' is not a positive number up to {:e}",
                text.escape_debug(),
                Self::MOST
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers() {
        assert_eq!("7".parse::<Whole<1, 9>>().unwrap().get(), 7);
        let most: Whole<0> = "18446744073709551615".parse().unwrap();
        assert_eq!(most.get(), u64::MAX);
        for text in ["0", "10", "-1", "+5", "5.0", "", "x", "1e1"] {
            let error = text.parse::<Whole<1, 9>>().unwrap_err();
            assert_eq!(error, format!("'{text}' is not a whole number from 1 to 9"));
        }
    }

    #[test]
    fn fractions_and_positive_numbers() {
        assert_eq!("0.25".parse::<Fraction>().unwrap().get(), 0.25);
        assert_eq!("1e12".parse::<Positive>().unwrap().get(), 1e12);
        for text in ["0", "1", "-0.5", "nan", "inf", "", "x", "+0.5"] {
            let error = text.parse::<Fraction>().unwrap_err();
            let expected = format!("'{text}' is not a number between 0 and 1, both excluded");
            assert_eq!(error, expected);
        }
        for text in ["0", "-2", "nan", "inf", "2e12", "x"] {
            let error = text.parse::<Positive>().unwrap_err();
            assert_eq!(
                error,
                format!("'{text}' is not a positive number up to 1e12")
            );
        }
    }
}
