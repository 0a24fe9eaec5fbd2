use core::fmt;
use core::str::FromStr;

use crate::Description;
use crate::name::{ParseError, inside, number};

/// A work-stealing function: how many of its jobs a victim gives away.
///
/// BFG03 (section 3) wants three properties of f, and proves the process stable for every f that
/// has them (Theorem 10):
///
/// 1. 0 ≤ f(l) ≤ l/2: a victim keeps at least half. [`Steal::jobs`] enforces it.
/// 2. f is monotone: a victim with more jobs does not give fewer. Implementations of
///    [`Steal::wanted`] promise it; every [`StealFunction`] has it, because capping keeps it.
/// 3. Φ_f is finite: f grows, or is at least large enough for the number of processors. This
///    depends on n and λ and is a question for the theory crate, not for a single decision.
pub trait Steal {
    /// The number of jobs the function would like to move from a processor with `load` jobs, before
    /// Property 1 is applied. Must not decrease as `load` grows.
    fn wanted(&self, load: u64) -> u64;

    /// f(l): the number of jobs that move. At most half of the load, rounded down.
    fn jobs(&self, load: u64) -> u64 {
        self.wanted(load).min(load / 2)
    }
}

/// The steal functions that have names.
///
/// A cap around a cap is the smaller cap, so one is enough: `min(min(half,9),3)` is read as
/// `min(half,3)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StealFunction {
    shape: Shape,
    cap: Option<u64>,
}

/// What a [`StealFunction`] does before it is capped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// `half`: ⌊l/2⌋.
    Half,
    /// `fraction:R`: ⌊l/R⌋, with R from 1.
    Fraction(u64),
    /// `one`: 1.
    One,
    /// `const:K`: K.
    Const(u64),
    /// `sqrt`: ⌊√l⌋.
    Sqrt,
    /// `log2`: ⌊lg l⌋.
    Log2,
}

pub(super) const DESCRIPTIONS: &[Description] = &[
    Description {
        form: "half",
        meaning: "half of the load, rounded down",
    },
    Description {
        form: "fraction:R",
        meaning: "the R-th part of the load, rounded down",
    },
    Description {
        form: "one",
        meaning: "one job",
    },
    Description {
        form: "const:K",
        meaning: "K jobs (0: no victim gives anything away)",
    },
    Description {
        form: "sqrt",
        meaning: "the square root of the load, rounded down",
    },
    Description {
        form: "log2",
        meaning: "the binary logarithm of the load, rounded down",
    },
    Description {
        form: "min(F,K)",
        meaning: "what F says, but at most K jobs",
    },
];

impl StealFunction {
    /// Half of the load: the default everywhere, and the function BFG03 calls popular.
    pub const HALF: Self = Self {
        shape: Shape::Half,
        cap: None,
    };
    /// One job: what a fork-join thief takes (BL99).
    pub const ONE: Self = Self {
        shape: Shape::One,
        cap: None,
    };

    /// What the function does before it is capped.
    pub fn shape(self) -> Shape {
        self.shape
    }

    /// The K of `min(F,K)`, if there is one.
    pub fn cap(self) -> Option<u64> {
        self.cap
    }

    /// The most jobs that ever move at once, j(n) in BFG03's Theorem 22; `None` if there is no
    /// bound.
    pub fn most(self) -> Option<u64> {
        let most = match self.shape {
            Shape::One => Some(1),
            Shape::Const(jobs) => Some(jobs),
            Shape::Half | Shape::Fraction(_) | Shape::Sqrt | Shape::Log2 => None,
        };
        match (most, self.cap) {
            (Some(most), Some(cap)) => Some(most.min(cap)),
            (most, cap) => most.or(cap),
        }
    }

    /// `min(self,most)`: never more than `most` jobs (BFG03, Observation 4).
    pub fn capped(self, most: u64) -> Self {
        Self {
            cap: Some(self.cap.map_or(most, |cap| cap.min(most))),
            ..self
        }
    }
}

impl Default for StealFunction {
    fn default() -> Self {
        Self::HALF
    }
}

impl Steal for StealFunction {
    fn wanted(&self, load: u64) -> u64 {
        let wanted = match self.shape {
            Shape::Half => load / 2,
            Shape::Fraction(parts) => load / parts,
            Shape::One => 1,
            Shape::Const(jobs) => jobs,
            Shape::Sqrt => load.isqrt(),
            Shape::Log2 => load.checked_ilog2().unwrap_or(0).into(),
        };
        self.cap.map_or(wanted, |cap| wanted.min(cap))
    }
}

impl FromStr for StealFunction {
    type Err = ParseError;

    fn from_str(name: &str) -> Result<Self, ParseError> {
        // A loop and not a recursion: what is typed must not decide how deep the stack gets.
        let (mut name, mut cap) = (name, None);
        while let Some(arguments) = inside(name, "min") {
            let (function, most) = arguments.rsplit_once(',').unwrap_or((arguments, ""));
            let most: u64 = number(name, "min(F,K)", "K", most, 0)?;
            cap = Some(cap.map_or(most, |cap: u64| cap.min(most)));
            name = function;
        }
        let (head, argument) = match name.split_once(':') {
            Some((head, argument)) => (head, Some(argument)),
            None => (name, None),
        };
        let shape = match (head, argument) {
            ("half", None) => Shape::Half,
            ("one", None) => Shape::One,
            ("sqrt", None) => Shape::Sqrt,
            ("log2", None) => Shape::Log2,
            ("fraction", parts) => {
                Shape::Fraction(number(name, "fraction:R", "R", parts.unwrap_or(""), 1)?)
            }
            ("const", jobs) => Shape::Const(number(name, "const:K", "K", jobs.unwrap_or(""), 0)?),
            _ => {
                let known = DESCRIPTIONS.iter().map(|known| known.form);
                return Err(ParseError::unknown("steal function", name, known));
            }
        };
        Ok(Self { shape, cap })
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Half => f.write_str("half"),
            Self::Fraction(parts) => write!(f, "fraction:{parts}"),
            Self::One => f.write_str("one"),
            Self::Const(jobs) => write!(f, "const:{jobs}"),
            Self::Sqrt => f.write_str("sqrt"),
            Self::Log2 => f.write_str("log2"),
        }
    }
}

impl fmt::Display for StealFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.cap {
            None => self.shape.fmt(f),
            Some(cap) => write!(f, "min({},{cap})", self.shape),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn jobs(name: &str, load: u64) -> u64 {
        name.parse::<StealFunction>().expect(name).jobs(load)
    }

    #[test]
    fn values() {
        for (name, load, moved) in [
            ("half", 9, 4),
            ("half", 1, 0),
            ("fraction:3", 10, 3),
            ("fraction:1", 10, 5), // clamped: Property 1
            ("one", 2, 1),
            ("one", 1, 0), // clamped
            ("const:4", 100, 4),
            ("const:4", 6, 3), // clamped
            ("const:0", 100, 0),
            ("sqrt", 120, 10),
            ("sqrt", u64::MAX, (1 << 32) - 1),
            ("log2", 1023, 9),
            ("log2", 0, 0),
            ("min(half,3)", 100, 3),
            ("min(half,3)", 4, 2),
            ("min(min(sqrt,9),2)", 100, 2),
            ("min(min(sqrt,2),9)", 100, 2),
        ] {
            assert_eq!(jobs(name, load), moved, "{name} of {load}");
        }
    }

    #[test]
    fn bad_names_say_what_to_type() {
        for (name, message) in [
            (
                "most",
                "unknown steal function 'most': use one of half, fraction:R, one, const:K, sqrt, log2, min(F,K)",
            ),
            (
                "half:2",
                "unknown steal function 'half:2': use one of half, fraction:R, one, const:K, sqrt, log2, min(F,K)",
            ),
            (
                "fraction",
                "'fraction' is not of the form fraction:R: R is missing, use a whole number from 1",
            ),
            (
                "fraction:0",
                "'fraction:0' is not of the form fraction:R: R is '0', use a whole number from 1",
            ),
            (
                "const:+5",
                "'const:+5' is not of the form const:K: K is '+5', use a whole number from 0",
            ),
            (
                "const:99999999999999999999",
                "'const:99999999999999999999' is not of the form const:K: K is '99999999999999999999', use a whole number from 0",
            ),
            (
                "min(half)",
                "'min(half)' is not of the form min(F,K): K is missing, use a whole number from 0",
            ),
        ] {
            assert_eq!(
                name.parse::<StealFunction>().unwrap_err().to_string(),
                message
            );
        }
    }

    #[test]
    fn messages_are_one_line() {
        for (name, message) in [
            (
                "const:1\n2",
                r"'const:1\n2' is not of the form const:K: K is '1\n2', use a whole number from 0",
            ),
            (
                "a\u{1b}[2J",
                r"unknown steal function 'a\u{1b}[2J': use one of half, fraction:R, one, const:K, sqrt, log2, min(F,K)",
            ),
        ] {
            assert_eq!(
                name.parse::<StealFunction>().unwrap_err().to_string(),
                message
            );
        }
    }

    #[test]
    fn nesting_is_as_deep_as_one_likes() {
        let deep = format!("{}half{}", "min(".repeat(50_000), ",7)".repeat(50_000));
        assert_eq!(deep.parse(), Ok(StealFunction::HALF.capped(7)));
        assert!(
            format!("{}half", "min(".repeat(50_000))
                .parse::<StealFunction>()
                .is_err()
        );
    }

    fn any_function() -> impl Strategy<Value = StealFunction> {
        let small = || prop_oneof![0..100u64, any::<u64>()];
        let shape = prop_oneof![
            Just(Shape::Half),
            small().prop_map(|parts| Shape::Fraction(parts.max(1))),
            Just(Shape::One),
            small().prop_map(Shape::Const),
            Just(Shape::Sqrt),
            Just(Shape::Log2),
        ];
        (shape, proptest::option::of(small())).prop_map(|(shape, cap)| StealFunction { shape, cap })
    }

    fn any_load() -> impl Strategy<Value = u64> {
        prop_oneof![
            0..200u64,
            any::<u64>(),
            (0..64u32).prop_map(|bits| 1 << bits)
        ]
    }

    proptest! {
        /// BFG03 Property 1: 0 ≤ f(l) ≤ ⌊l/2⌋.
        #[test]
        fn at_most_half_moves(f in any_function(), load in any_load()) {
            prop_assert!(f.jobs(load) <= load / 2);
        }

        /// BFG03 Property 2: f is monotone.
        #[test]
        fn monotone(f in any_function(), a in any_load(), b in any_load()) {
            prop_assert!(f.jobs(a.min(b)) <= f.jobs(a.max(b)));
            prop_assert!(f.jobs(a) <= f.jobs(a.saturating_add(1)));
        }

        /// What is said to be the most is never exceeded, and is reached.
        #[test]
        fn the_most_is_the_supremum(f in any_function(), load in any_load()) {
            if let Some(most) = f.most() {
                prop_assert!(f.jobs(load) <= most);
                let enough = most.saturating_mul(2);
                prop_assert!(enough == u64::MAX || f.shape() == Shape::Sqrt || f.shape() == Shape::Log2
                    || matches!(f.shape(), Shape::Fraction(_)) || f.jobs(enough) == most);
            } else {
                prop_assert!(f.jobs(u64::MAX) > 0 || matches!(f.shape(), Shape::Fraction(_)));
            }
        }

        #[test]
        fn printed_and_read_back(f in any_function()) {
            prop_assert_eq!(f.to_string().parse(), Ok(f));
        }

        #[test]
        fn any_text_is_read_or_refused(name in "(min\\(|[a-z0-9:,()]){0,12}") {
            let _ = name.parse::<StealFunction>();
        }
    }
}
