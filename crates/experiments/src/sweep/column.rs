//! The columns of a sweep, and what stands in them.

use super::value::Value;

/// What a column is called, and what is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name.
    pub name: &'static str,
    /// The type of what is in it.
    pub kind: ColumnKind,
    /// What it means, in one line.
    pub meaning: &'static str,
}

/// The type of a column. Every column may have rows without a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Whole numbers of 64 bits, without a sign.
    Whole,
    /// Floating-point numbers of 64 bits.
    Real,
    /// Yes or no.
    Flag,
    /// Text of any length.
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
}

impl ColumnKind {
    /// The name of the type, as files describe it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole number",
            Self::Real => "real number",
            Self::Flag => "true or false",
            Self::Text => "text",
            Self::Word(_) => "word",
        }
    }
}

impl Column {
    pub(super) const fn whole(name: &'static str, meaning: &'static str) -> Self {
        let kind = ColumnKind::Whole;
        Self {
            name,
            kind,
            meaning,
        }
    }

    pub(super) const fn real(name: &'static str, meaning: &'static str) -> Self {
        let kind = ColumnKind::Real;
        Self {
            name,
            kind,
            meaning,
        }
    }

    pub(super) const fn flag(name: &'static str, meaning: &'static str) -> Self {
        let kind = ColumnKind::Flag;
        Self {
            name,
            kind,
            meaning,
        }
    }

    pub(super) const fn word(
        name: &'static str,
        words: &'static [&'static str],
        meaning: &'static str,
    ) -> Self {
        let kind = ColumnKind::Word(words);
        Self {
            name,
            kind,
            meaning,
        }
    }
}

/// What stands in one column of one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// A whole number.
    Whole(u64),
    /// A real number, which is finite.
    Real(f64),
    /// Yes or no.
    Flag(bool),
    /// Text, or a word.
    Text(&'a str),
    /// No value.
    Missing,
}

/// A cell of a result: its text is one of the words of its column.
pub type ResultCell = Cell<'static>;

impl<'a> From<&'a Option<Value>> for Cell<'a> {
    fn from(value: &'a Option<Value>) -> Self {
        match value {
            Some(Value::Whole(number)) => u64::try_from(*number).map_or(Self::Missing, Self::Whole),
            Some(Value::Real(number)) => Self::Real(*number),
            Some(Value::Flag(flag)) => Self::Flag(*flag),
            Some(Value::Text(text)) => Self::Text(text),
            None => Self::Missing,
        }
    }
}

impl From<u64> for Cell<'_> {
    fn from(number: u64) -> Self {
        Self::Whole(number)
    }
}

/// A number that is not finite is no value.
impl From<f64> for Cell<'_> {
    fn from(number: f64) -> Self {
        if number.is_finite() {
            Self::Real(number)
        } else {
            Self::Missing
        }
    }
}

impl From<bool> for Cell<'_> {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell<'_> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Into::into)
    }
}
