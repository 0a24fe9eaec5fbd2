//! Errors about names and numbers that describe no work.

use std::error::Error;
use std::fmt;

/// The names of one kind of description: how each is typed, and what it means in a few words.
pub type Names = &'static [(&'static str, &'static str)];

/// A name or a number that describes no work.
///
/// Its text is a single line that names what was given and says what to type instead.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Invalid {
    /// There is no such name.
    Unknown {
        /// What was being named: `arrivals`, `capacity` or `placement`.
        kind: &'static str,
        /// What was typed.
        given: String,
        /// The names that there are.
        known: Names,
    },
    /// The name is known, but not with this value.
    Value {
        /// What was typed.
        given: String,
        /// What is needed instead.
        needs: String,
    },
}

impl Invalid {
    pub(crate) fn unknown(kind: &'static str, given: &str, known: Names) -> Self {
        Self::Unknown {
            kind,
            given: given.to_owned(),
            known,
        }
    }

    pub(crate) fn value(given: impl fmt::Display, needs: impl Into<String>) -> Self {
        Self::Value {
            given: given.to_string(),
            needs: needs.into(),
        }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { kind, given, known } => {
                write!(f, "unknown {kind} '{}': use ", given.escape_debug())?;
                for (at, (form, _)) in known.iter().enumerate() {
                    let separator = match at {
                        0 => "",
                        _ if at + 1 == known.len() => " or ",
                        _ => ", ",
                    };
                    write!(f, "{separator}{form}")?;
                }
                Ok(())
            }
            Self::Value { given, needs } if reads_plainly(given) => write!(f, "{given}: {needs}"),
            Self::Value { given, needs } => write!(f, "'{}': {needs}", given.escape_debug()),
        }
    }
}

impl Error for Invalid {}

/// Whether `given` can be read without quotes around it: a reader sees where it starts and ends.
fn reads_plainly(given: &str) -> bool {
    given.bytes().all(|byte| byte.is_ascii_graphic()) && !given.is_empty() && !given.ends_with(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_whatever_was_typed() {
        let known: Names = &[("a", "first"), ("b", "second")];
        let cases = [
            (
                Invalid::unknown("thing", "", known),
                "unknown thing '': use a or b",
            ),
            (
                Invalid::unknown("thing", "x\ny", known),
                r"unknown thing 'x\ny': use a or b",
            ),
            (
                Invalid::unknown("thing", "c", &known[..1]),
                "unknown thing 'c': use a",
            ),
            (Invalid::value("a:1", "no"), "a:1: no"),
            (Invalid::value("a:", "no"), "'a:': no"),
            (Invalid::value("", "no"), "'': no"),
            (Invalid::value("a: 1", "no"), "'a: 1': no"),
            (Invalid::value("a:\n", "no"), r"'a:\n': no"),
        ];
        for (error, message) in cases {
            assert_eq!(error.to_string(), message);
        }
    }
}
