//! Why there is no verdict.

use core::fmt;

use crate::TooFew;

/// Why a trajectory cannot be judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unfit {
    /// There are fewer samples than [`MIN_SAMPLES`](super::MIN_SAMPLES).
    TooFew(TooFew),
    /// A sample is no load: negative, infinite or not a number.
    NoLoad {
        /// Its place in the trajectory, from 0.
        at: usize,
        /// The sample.
        value: f64,
    },
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFew(TooFew { needed, got }) => {
                write!(
                    f,
                    "a stability verdict needs at least {needed} samples of the load, got {got}"
                )
            }
            Self::NoLoad { at, value } => {
                write!(
                    f,
                    "a load is a finite number of at least 0, got {value} as sample {at}"
                )
            }
        }
    }
}

impl core::error::Error for Unfit {}

impl From<TooFew> for Unfit {
    fn from(error: TooFew) -> Self {
        Self::TooFew(error)
    }
}
