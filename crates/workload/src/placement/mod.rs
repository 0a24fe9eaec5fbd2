//! Where the generators sit.

mod exponent;
mod lengths;
mod place;
mod placer;

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

pub use exponent::Exponent;
pub use lengths::Lengths;
pub use place::Place;
pub use placer::Placer;

use crate::error::{Invalid, Names};
use crate::number;

/// Where n generators sit on n processors: the distribution D over generator-allocation functions
/// of BFG03 section 2, from which one is drawn in every step.
///
/// BFG03's bounds hold for every D, so a placement may be as uneven as one likes. Processors are
/// numbered from 1 in these descriptions and from 0 in code.
///
/// Three of them are **no D**, so BFG03's theorems do not speak of them. `rotate` changes with the
/// number of the step. `longest` and `shortest` are adversaries: they see the queues. BFG01 allows
/// both kinds: generators may "arbitrarily change hosts between any two time steps" (section 1.1),
/// and its analysis lets an adversary assign them at each step (section 3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Placement {
    /// `each`: one on each processor.
    Each,
    /// `one`: all on processor 1.
    One,
    /// `k:K`: equally on the first K processors.
    ///
    /// If K does not divide n, the first n mod K of them host one more.
    First(NonZeroU32),
    /// `uniform`: each anew on a random processor in every step.
    Uniform,
    /// `roam`: all on one random processor, drawn anew in every step.
    Roam,
    /// `rotate`: all on one processor, which moves to the next in every step. This is no D.
    ///
    /// They sit on processor 1 in step 0, and again on it after processor n.
    Rotate,
    /// `longest`: all on a processor with the longest queue, as an adversary would that wants the
    /// load to stay where it is. This is no D.
    ///
    /// Of several longest queues it is the first.
    Longest,
    /// `shortest`: all on a processor with the shortest queue, so that every step makes another
    /// processor heavy. This is no D.
    ///
    /// Of several shortest queues it is the first.
    Shortest,
    /// `zipf:S`: each anew in every step, on processor i with probability proportional to i^−S.
    ///
    /// `zipf:0` has the law of `uniform` but draws other numbers.
    Zipf(Exponent),
}

impl Placement {
    /// How placements are typed, and what they mean.
    pub const NAMES: Names = &[
        ("each", "one on each processor"),
        ("one", "all on processor 1"),
        ("k:K", "equally on the first K processors"),
        ("uniform", "each anew on a random processor in every step"),
        (
            "roam",
            "all on one random processor, drawn anew in every step",
        ),
        (
            "rotate",
            "all on one processor, which moves to the next in every step (no D of BFG03)",
        ),
        (
            "longest",
            "all on a processor with the longest queue: an adversary (no D of BFG03)",
        ),
        (
            "shortest",
            "all on a processor with the shortest queue: an adversary (no D of BFG03)",
        ),
        (
            "zipf:S",
            "each anew in every step, on processor i with probability proportional to i^−S",
        ),
    ];

    /// The Zipf placement with this exponent, which is finite and not negative.
    pub fn zipf(exponent: f64) -> Result<Self, Invalid> {
        Exponent::new(exponent).map(Self::Zipf)
    }

    /// Whether the generators stay where they are, so that placing them once is enough.
    pub fn is_fixed(self) -> bool {
        match self {
            Self::Each | Self::One | Self::First(_) => true,
            Self::Uniform
            | Self::Roam
            | Self::Rotate
            | Self::Longest
            | Self::Shortest
            | Self::Zipf(_) => false,
        }
    }

    /// Whether this is a distribution D over generator-allocation functions, from which BFG03 draws
    /// one in every step, whatever happened before.
    pub fn is_drawn_anew(self) -> bool {
        match self {
            Self::Each
            | Self::One
            | Self::First(_)
            | Self::Uniform
            | Self::Roam
            | Self::Zipf(_) => true,
            Self::Rotate | Self::Longest | Self::Shortest => false,
        }
    }

    /// Makes what places `processors` generators on as many processors.
    ///
    /// It fails if there is no processor, if there are more than 32 bits can count, or if there
    /// are fewer than the K of `k:K`.
    pub fn start(self, processors: usize) -> Result<Placer, Invalid> {
        let needs = match (u32::try_from(processors), self) {
            (Ok(0), _) => "placing generators needs at least one processor".to_owned(),
            (Err(_), _) => format!("at most {} processors can be placed on", u32::MAX),
            (Ok(n), Self::First(k)) if k.get() > n => {
                format!("with {n} processors, K must be an integer from 1 to {n}")
            }
            (Ok(n), _) => return Ok(Placer::new(self, n)),
        };
        Err(Invalid::value(self, needs))
    }
}

impl FromStr for Placement {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let (placement, needs) = match (text, text.split_once(':')) {
            ("each", _) => return Ok(Self::Each),
            ("one", _) => return Ok(Self::One),
            ("uniform", _) => return Ok(Self::Uniform),
            ("roam", _) => return Ok(Self::Roam),
            ("rotate", _) => return Ok(Self::Rotate),
            ("longest", _) => return Ok(Self::Longest),
            ("shortest", _) => return Ok(Self::Shortest),
            (_, Some(("k", k))) => (
                number::integer(k)
                    .and_then(NonZeroU32::new)
                    .map(Self::First),
                "the number of processors must be an integer from 1 to 4294967295",
            ),
            (_, Some(("zipf", s))) => (
                number::real(s).and_then(Exponent::checked).map(Self::Zipf),
                Exponent::NEEDS,
            ),
            _ => return Err(Invalid::unknown("placement", text, Self::NAMES)),
        };
        placement.ok_or_else(|| Invalid::value(text, needs))
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Each => f.write_str("each"),
            Self::One => f.write_str("one"),
            Self::First(k) => write!(f, "k:{k}"),
            Self::Uniform => f.write_str("uniform"),
            Self::Roam => f.write_str("roam"),
            Self::Rotate => f.write_str("rotate"),
            Self::Longest => f.write_str("longest"),
            Self::Shortest => f.write_str("shortest"),
            Self::Zipf(exponent) => write!(f, "zipf:{exponent}"),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bad_names_are_explained() {
        for text in [
            "", "each:1", "every", "k", "zipf", "One", "uniform:", " one",
        ] {
            assert_eq!(
                text.parse::<Placement>().unwrap_err().to_string(),
                format!(
                    "unknown placement '{text}': \
                     use each, one, k:K, uniform, roam, rotate, longest, shortest or zipf:S"
                )
            );
        }
        let cases = [
            (
                "k:0",
                "k:0: the number of processors must be an integer from 1 to 4294967295",
            ),
            (
                "k:",
                "'k:': the number of processors must be an integer from 1 to 4294967295",
            ),
            (
                "k:-1",
                "k:-1: the number of processors must be an integer from 1 to 4294967295",
            ),
            (
                "k:2.5",
                "k:2.5: the number of processors must be an integer from 1 to 4294967295",
            ),
            (
                "zipf:-1",
                "zipf:-1: the exponent must be a finite number, at least 0",
            ),
            (
                "zipf:",
                "'zipf:': the exponent must be a finite number, at least 0",
            ),
            (
                "zipf:inf",
                "zipf:inf: the exponent must be a finite number, at least 0",
            ),
            (
                "zipf:1e400",
                "zipf:1e400: the exponent must be a finite number, at least 0",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(text.parse::<Placement>().unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn processors_are_checked() {
        let message = |name: &str, processors| {
            let placement: Placement = name.parse().unwrap();
            placement.start(processors).unwrap_err().to_string()
        };
        assert_eq!(
            message("k:4", 3),
            "k:4: with 3 processors, K must be an integer from 1 to 3"
        );
        for name in [
            "each", "one", "k:1", "uniform", "roam", "rotate", "longest", "zipf:1",
        ] {
            assert_eq!(
                message(name, 0),
                format!("{name}: placing generators needs at least one processor")
            );
        }
        assert_eq!(
            message("one", u32::MAX as usize + 1),
            "one: at most 4294967295 processors can be placed on"
        );
        assert!("k:3".parse::<Placement>().unwrap().start(3).is_ok());
        assert!(Placement::One.start(u32::MAX as usize).is_ok());
    }

    #[test]
    fn every_listed_form_is_a_name() {
        let examples = [
            ("each", "each"),
            ("one", "one"),
            ("k:K", "k:2"),
            ("uniform", "uniform"),
            ("roam", "roam"),
            ("rotate", "rotate"),
            ("longest", "longest"),
            ("shortest", "shortest"),
            ("zipf:S", "zipf:1.5"),
        ];
        let forms: Vec<_> = Placement::NAMES.iter().map(|(form, _)| *form).collect();
        assert_eq!(forms, examples.map(|(form, _)| form));
        for (_, example) in examples {
            let placement = example.parse::<Placement>().unwrap();
            let fixed = ["each", "one", "k:2"].contains(&example);
            assert_eq!(placement.is_fixed(), fixed, "{example}");
            let no_d = ["rotate", "longest", "shortest"].contains(&example);
            assert_eq!(placement.is_drawn_anew(), !no_d, "{example}");
        }
    }

    pub(crate) fn any_placement() -> impl Strategy<Value = Placement> {
        prop_oneof![
            Just(Placement::Each),
            Just(Placement::One),
            Just(Placement::Uniform),
            Just(Placement::Roam),
            Just(Placement::Rotate),
            Just(Placement::Longest),
            Just(Placement::Shortest),
            (1..40u32).prop_map(|k| Placement::First(NonZeroU32::new(k).unwrap())),
            (0.0..4.0).prop_map(|s| Placement::zipf(s).unwrap()),
            (0.0..f64::MAX).prop_map(|s| Placement::zipf(s).unwrap()),
        ]
    }

    proptest! {
        #[test]
        fn placements_are_read_as_printed(placement in any_placement()) {
            prop_assert_eq!(placement.to_string().parse(), Ok(placement));
        }

        #[test]
        fn nothing_that_is_typed_panics(text in "(k|zipf|one|each):?.*") {
            if let Err(error) = text.parse::<Placement>() {
                prop_assert_eq!(error.to_string().lines().count(), 1);
            }
        }
    }
}
