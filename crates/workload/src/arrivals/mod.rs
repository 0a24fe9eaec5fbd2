//! How many jobs arrive in a slot.

mod arrive;
mod poisson;
mod process;
mod trace;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

pub use arrive::{ArrivalLaw, Arrive};
pub use poisson::BatchMean;
pub use process::BatchProcess;
pub use trace::TraceError;

use crate::error::{Invalid, Names};
use crate::number;
use crate::probability::Probability;

/// The sizes of the batches that reach the dispatcher, one batch a slot: a(1), a(2), … in PI
/// section 2.1.
///
/// This is the description; [`Arrivals::start`] makes the process that draws from it.
///
/// PI assumes that the a(t) are independent, identically distributed, and zero with positive
/// probability. `poisson:L` and `bernoulli:P` with P < 1 satisfy that. `constant:K` with K > 0 and
/// `trace:FILE` do not: they serve to look at one batch at a time and to replay a record.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrivals {
    /// `poisson:L`: Poisson batches with mean L, as in the simulations of PI section 4.1.
    Poisson(BatchMean),
    /// `bernoulli:P`: one job with probability P, otherwise none.
    Bernoulli(Probability),
    /// `constant:K`: K jobs in every slot.
    Constant(u32),
    /// `trace:FILE`: batch sizes read from a file, one a line, again from the top after the last.
    ///
    /// Blank lines and lines that start with `#` are skipped.
    Trace(PathBuf),
}

impl Arrivals {
    /// How arrivals are typed, and what they mean.
    pub const NAMES: Names = &[
        ("poisson:L", "Poisson batches with mean L"),
        ("bernoulli:P", "one job with probability P, otherwise none"),
        ("constant:K", "K jobs in every slot"),
        (
            "trace:FILE",
            "batch sizes read from a file, one a line, again from the top after the last",
        ),
    ];

    /// Poisson batches with the given mean; see [`BatchMean`] for its bounds.
    pub fn poisson(mean: f64) -> Result<Self, Invalid> {
        BatchMean::new(mean).map(Self::Poisson)
    }

    /// Makes the process, reading the whole trace if there is one.
    ///
    /// Only a trace can fail. To replay one in many replications, start it once and clone.
    pub fn start(&self) -> Result<BatchProcess, TraceError> {
        Ok(match self {
            Self::Poisson(mean) => BatchProcess::poisson(*mean),
            Self::Bernoulli(probability) => BatchProcess::bernoulli(*probability),
            Self::Constant(jobs) => BatchProcess::constant(*jobs),
            Self::Trace(file) => BatchProcess::replay(trace::read(file)?),
        })
    }
}

/// Reads a name without looking at any file.
impl FromStr for Arrivals {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let (arrivals, needs) = match text.split_once(':') {
            Some(("poisson", mean)) => (
                number::real(mean)
                    .and_then(BatchMean::checked)
                    .map(Self::Poisson),
                BatchMean::NEEDS,
            ),
            Some(("bernoulli", probability)) => (
                number::real(probability)
                    .and_then(Probability::checked)
                    .map(Self::Bernoulli),
                "the probability must be between 0 and 1",
            ),
            Some(("constant", jobs)) => (
                number::integer(jobs).map(Self::Constant),
                "the batch size must be an integer from 0 to 4294967295",
            ),
            Some(("trace", file)) => (
                (!file.is_empty()).then(|| Self::Trace(file.into())),
                "name the file that holds the batch sizes, as in trace:batches.txt",
            ),
            _ => return Err(Invalid::unknown("arrivals", text, Self::NAMES)),
        };
        arrivals.ok_or_else(|| Invalid::value(text, needs))
    }
}

impl fmt::Display for Arrivals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Poisson(mean) => write!(f, "poisson:{mean}"),
            Self::Bernoulli(probability) => write!(f, "bernoulli:{probability}"),
            Self::Constant(jobs) => write!(f, "constant:{jobs}"),
            Self::Trace(file) => write!(f, "trace:{}", file.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bad_names_are_explained() {
        let unknown = "use poisson:L, bernoulli:P, constant:K or trace:FILE";
        for text in [
            "poison:3",
            "",
            "poisson",
            "trace",
            "Poisson:3",
            " poisson:3",
            "3",
        ] {
            assert_eq!(
                text.parse::<Arrivals>().unwrap_err().to_string(),
                format!("unknown arrivals '{text}': {unknown}")
            );
        }
        let mean = "the mean batch must be a number from 0 to 1000000000";
        let probability = "the probability must be between 0 and 1";
        let size = "the batch size must be an integer from 0 to 4294967295";
        let file = "name the file that holds the batch sizes, as in trace:batches.txt";
        let cases = [
            ("poisson:", mean),
            ("poisson:-1", mean),
            ("poisson:+5", mean),
            ("poisson: 5", mean),
            ("poisson:nan", mean),
            ("poisson:inf", mean),
            ("poisson:1e400", mean),
            ("poisson:1000000001", mean),
            ("poisson:3:4", mean),
            ("bernoulli:1.5", probability),
            ("bernoulli:-0.1", probability),
            ("bernoulli:", probability),
            ("bernoulli:half", probability),
            ("constant:-1", size),
            ("constant:1.5", size),
            ("constant:", size),
            ("constant:4294967296", size),
            ("trace:", file),
        ];
        for (text, needs) in cases {
            let shown = if text.ends_with(':') || text.contains(' ') {
                format!("'{text}'")
            } else {
                text.to_owned()
            };
            let message = text.parse::<Arrivals>().unwrap_err().to_string();
            assert_eq!(message, format!("{shown}: {needs}"));
        }
    }

    #[test]
    fn names_are_read() {
        let cases = [
            ("poisson:1e3", Arrivals::poisson(1000.0).unwrap()),
            ("poisson:0", Arrivals::poisson(0.0).unwrap()),
            (
                "bernoulli:1",
                Arrivals::Bernoulli(Probability::new(1.0).unwrap()),
            ),
            ("constant:0", Arrivals::Constant(0)),
            (
                "trace:no such: file",
                Arrivals::Trace("no such: file".into()),
            ),
        ];
        for (text, arrivals) in cases {
            assert_eq!(text.parse(), Ok(arrivals));
        }
    }

    #[test]
    fn every_listed_form_is_a_name() {
        for ((form, _), example) in
            Arrivals::NAMES
                .iter()
                .zip(["poisson:4", "bernoulli:0.5", "constant:4", "trace:f"])
        {
            assert_eq!(form.split(':').next(), example.split(':').next());
            assert!(example.parse::<Arrivals>().is_ok(), "{example}");
        }
        assert_eq!(Arrivals::NAMES.len(), 4);
    }

    fn any_arrivals() -> impl Strategy<Value = Arrivals> {
        prop_oneof![
            (0.0..=BatchMean::MAX).prop_map(|mean| Arrivals::poisson(mean).unwrap()),
            (0.0..=1.0).prop_map(|p| Arrivals::Bernoulli(Probability::new(p).unwrap())),
            any::<u32>().prop_map(Arrivals::Constant),
            ".+".prop_map(|file| Arrivals::Trace(file.into())),
        ]
    }

    proptest! {
        #[test]
        fn arrivals_are_read_as_printed(arrivals in any_arrivals()) {
            prop_assert_eq!(arrivals.to_string().parse(), Ok(arrivals));
        }

        #[test]
        fn nothing_that_is_typed_panics(text in "(poisson|bernoulli|constant|trace)?:?.*") {
            if let Err(error) = text.parse::<Arrivals>() {
                prop_assert_eq!(error.to_string().lines().count(), 1);
            }
        }
    }
}
