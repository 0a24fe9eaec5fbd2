//! The three verdicts.

use core::fmt;
use core::str::FromStr;

/// Whether the load stays bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The load has settled.
    Stable,
    /// The load grows, steadily and clearly.
    Unstable,
    /// The run is too short, or the system too close to its limit, to say.
    Undecided,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 3] = [Self::Stable, Self::Unstable, Self::Undecided];

    /// The name as printed, and as [`FromStr`] reads it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stable => "stable",
            Self::Unstable => "unstable",
            Self::Undecided => "undecided",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Verdict {
    type Err = UnknownVerdict;

    fn from_str(text: &str) -> Result<Self, UnknownVerdict> {
        Self::ALL
            .into_iter()
            .find(|verdict| verdict.name() == text)
            .ok_or(UnknownVerdict)
    }
}

/// The text names no verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownVerdict;

impl fmt::Display for UnknownVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a verdict is one of stable, unstable, undecided")
    }
}

impl core::error::Error for UnknownVerdict {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for verdict in Verdict::ALL {
            assert_eq!(verdict.to_string().parse(), Ok(verdict));
        }
        assert_eq!("Stable".parse::<Verdict>(), Err(UnknownVerdict));
        assert_eq!(format!("{:>9}", Verdict::Stable), "   stable");
    }
}
