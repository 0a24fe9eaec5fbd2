use core::fmt;
use core::str::FromStr;

use rand::{Rng, RngExt};

use crate::{Description, ParseError};

/// Which processor a thief asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Victim {
    /// Any processor, the thief included: BFG03, Figure 1, step 3. A thief that asks itself gets
    /// nothing, so it loses a step with probability 1/n.
    Uniform,
    /// Any processor but the thief: what BL99 and a real thread pool do.
    #[default]
    UniformOther,
}

pub(super) const DESCRIPTIONS: &[Description] = &[
    Description {
        form: "uniform",
        meaning: "any processor, the thief included",
    },
    Description {
        form: "uniform-other",
        meaning: "any processor but the thief",
    },
];

impl Victim {
    /// The processor that `thief` asks, out of 0 … `processors` − 1; `None` if there is none to
    /// ask.
    pub fn choose<R: Rng + ?Sized>(
        self,
        thief: usize,
        processors: usize,
        rng: &mut R,
    ) -> Option<usize> {
        debug_assert!(thief < processors, "the thief is one of the processors");
        match self {
            Self::Uniform => Some(rng.random_range(0..processors)),
            Self::UniformOther if processors > 1 => {
                // Number the others 0 … n−2 by leaving the thief out.
                let other = rng.random_range(0..processors - 1);
                Some(other + usize::from(other >= thief))
            }
            Self::UniformOther => None,
        }
    }
}

impl FromStr for Victim {
    type Err = ParseError;

    fn from_str(name: &str) -> Result<Self, ParseError> {
        match name {
            "uniform" => Ok(Self::Uniform),
            "uniform-other" => Ok(Self::UniformOther),
            _ => {
                let known = DESCRIPTIONS.iter().map(|known| known.form);
                Err(ParseError::unknown("victim choice", name, known))
            }
        }
    }
}

impl fmt::Display for Victim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Uniform => "uniform",
            Self::UniformOther => "uniform-other",
        })
    }
}
