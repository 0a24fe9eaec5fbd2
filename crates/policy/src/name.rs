//! What the names of steal functions, victims and dispatch policies have in common.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

/// A name that a user may type, with its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Description {
    /// The name as it is typed, capital letters standing for numbers: `jsq:D`.
    pub form: &'static str,
    /// What it does, in one line.
    pub meaning: &'static str,
}

/// Why a name was not understood: one line that says what to type instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError(String);

impl ParseError {
    /// A message that quotes `name`, on one line whatever was typed.
    pub(crate) fn about(name: &str, problem: impl fmt::Display) -> Self {
        Self(format!("'{}' {problem}", name.escape_debug()))
    }

    /// `name` is none of the `kind`s in `known`.
    pub(crate) fn unknown<'a>(
        kind: &str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let known: Vec<_> = known.into_iter().collect();
        Self(format!(
            "unknown {kind} '{}': use one of {}",
            name.escape_debug(),
            known.join(", ")
        ))
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for ParseError {}

/// Reads `text`, the parameter of `name` that `form` calls `letter`: a whole number from `least`.
pub(crate) fn number<T: FromStr + PartialOrd + fmt::Display>(
    name: &str,
    form: &str,
    letter: &str,
    text: &str,
    least: T,
) -> Result<T, ParseError> {
    // `u64::from_str` takes a leading plus, which no name is printed with.
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse() {
        Ok(number) if digits && number >= least => Ok(number),
        _ => {
            let problem = if text.is_empty() {
                "is missing".into()
            } else {
                format!("is '{}'", text.escape_debug())
            };
            Err(ParseError::about(
                name,
                format_args!(
                    "is not of the form {form}: {letter} {problem}, use a whole number from {least}"
                ),
            ))
        }
    }
}

/// The text between `head(` and the closing parenthesis, if `name` has this shape.
pub(crate) fn inside<'a>(name: &'a str, head: &str) -> Option<&'a str> {
    name.strip_prefix(head)?
        .strip_prefix('(')?
        .strip_suffix(')')
}
