//! The natural process or a rival, by name.

use std::fmt;
use std::str::FromStr;

use filch_policy::steal::StealFunction;
use filch_sim::natural::rivals::RivalName;

/// A way to balance the jobs of the generators.
#[derive(Clone, Debug, PartialEq)]
pub enum Contender {
    /// The natural process with this steal function.
    Natural(StealFunction),
    /// A rival.
    Rival(RivalName),
}

/// What the name of the natural process begins with.
const NATURAL: &str = "natural";

/// Reads `natural`, `natural:F` with a steal function F, or the name of a rival.
impl FromStr for Contender {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let (head, rest) = name.split_once(':').unwrap_or((name, ""));
        if head == NATURAL {
            let steal = if rest.is_empty() {
                Ok(StealFunction::HALF)
            } else {
                rest.parse()
            };
            let steal = steal.map_err(|error: filch_policy::ParseError| error.to_string())?;
            return Ok(Self::Natural(steal));
        }
        let read = name.parse().map(Self::Rival);
        read.map_err(|error: String| error.replace("use one of ", "use one of natural:F, "))
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Natural(steal) => write!(f, "{NATURAL}:{steal}"),
            Self::Rival(name) => name.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_printed() {
        for name in [
            "natural:half",
            "natural:min(half,3)",
            "inverse",
            "factor:1.5:2",
            "two-choices",
        ] {
            assert_eq!(name.parse::<Contender>().unwrap().to_string(), name);
        }
        let short: Contender = "natural".parse().unwrap();
        assert_eq!(short.to_string(), "natural:half");
    }

    #[test]
    fn bad_names_say_what_to_type() {
        let says = |name: &str| name.parse::<Contender>().unwrap_err();
        assert_eq!(
            says("best"),
            "unknown rival 'best': use one of natural:F, inverse, factor:F:D, two-choices"
        );
        assert!(says("factor:2").contains("is not of the form factor:F:D"));
        assert_eq!(
            says("factor:1:1"),
            "factor:1:1: the factor F must be above 1"
        );
        assert!(says("factor:2:0").contains("D must be a whole number from 1"));
        assert!(says("natural:most").starts_with("unknown steal function"));
    }
}
