//! Plain data: what a sweep file or a program gives for a parameter.

use std::fmt::{self, Write as _};

/// A value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Whole(i128),
    /// A number with a point or an exponent.
    Real(f64),
    /// A name.
    Text(String),
    /// Yes or no.
    Flag(bool),
}

impl Value {
    /// A name.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// As the value is typed on the command line: text without quotes.
    pub fn typed(&self) -> String {
        match self {
            Self::Whole(number) => number.to_string(),
            Self::Real(number) => number.to_string(),
            Self::Text(text) => text.clone(),
            Self::Flag(flag) => flag.to_string(),
        }
    }
}

/// As the value is written in TOML.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(number) => write!(f, "{number}"),
            // The shortest digits that are read back as the same number, with a point or an
            // exponent.
            Self::Real(number) => write!(f, "{number:?}"),
            Self::Text(text) => quoted(text, f),
            Self::Flag(flag) => write!(f, "{flag}"),
        }
    }
}

/// A basic string of TOML.
fn quoted(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_char('"')?;
    for letter in text.chars() {
        match letter {
            '"' | '\\' => write!(f, "\\{letter}")?,
            letter if letter.is_control() => write!(f, "\\u{:04X}", u32::from(letter))?,
            letter => f.write_char(letter)?,
        }
    }
    f.write_char('"')
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Whole(number.into())
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Real(number)
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_toml() {
        for (value, written) in [
            (Value::from(64), "64"),
            (Value::from(1.0), "1.0"),
            (Value::from(1e-7), "1e-7"),
            (Value::from(true), "true"),
            (Value::from("min(half,8)"), "\"min(half,8)\""),
            (Value::from("a\"\\\n"), r#""a\"\\\u000A""#),
        ] {
            assert_eq!(value.to_string(), written);
        }
    }
}
