//! The error of estimators that need more values.

use core::fmt;

/// There are too few values to say anything: a spread needs two, a warm-up rather more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooFew {
    /// The smallest number of values that would do.
    pub needed: usize,
    /// The number of values there were.
    pub got: usize,
}

impl TooFew {
    /// `Err` unless `got` reaches `needed`.
    pub(crate) fn check(needed: usize, got: usize) -> Result<(), Self> {
        if got < needed {
            Err(Self { needed, got })
        } else {
            Ok(())
        }
    }
}

impl fmt::Display for TooFew {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the estimate needs at least {} values, got {}",
            self.needed, self.got
        )
    }
}

impl core::error::Error for TooFew {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_is_missing() {
        let error = TooFew::check(2, 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the estimate needs at least 2 values, got 1"
        );
        assert_eq!(TooFew::check(2, 2), Ok(()));
    }
}
