//! Numbers beyond a float, as JSON has them.

use std::fmt;

use filch_theory::natural::Large;
use serde::Serialize;

/// More decimal digits than this are not for reading; the logarithm says enough.
const MOST_DIGITS: f64 = 1000.0;

/// A number of any size: its digits as a string where there are up to 1000 of them, its decimal
/// logarithm where a float holds that, and otherwise the height of the tower of twos that it is
/// about as large as.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LargeNumber {
    /// The digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<String>,
    /// The decimal logarithm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log10: Option<f64>,
    /// The height of the tower.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tower: Option<u64>,
    #[serde(skip)]
    shown: String,
}

impl From<&Large> for LargeNumber {
    fn from(large: &Large) -> Self {
        let log10 = large.log10();
        let short = log10.is_some_and(|log10| log10 < MOST_DIGITS);
        Self {
            exact: large.exact().filter(|_| short).map(ToString::to_string),
            log10,
            tower: match large {
                Large::Tower(height) => Some(*height),
                _ => None,
            },
            shown: large.to_string(),
        }
    }
}

impl fmt::Display for LargeNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.shown)
    }
}
