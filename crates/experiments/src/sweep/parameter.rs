//! The parameters of a model: their names, types, defaults, and what is refused.

use super::column::{Column, ColumnKind};
use super::value::Value;

/// A parameter of a model. It has the name of the command line's flag, with `_` for `-`.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The name.
    pub name: &'static str,
    /// What it means, in one line.
    pub meaning: &'static str,
    /// What values it takes.
    pub kind: ParameterKind,
    /// The value if none is given.
    pub default: DefaultValue,
}

/// What values a parameter takes.
#[derive(Clone, Copy, Debug)]
pub enum ParameterKind {
    /// A whole number from `least` to `most`.
    Whole {
        /// The smallest.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// A number between 0 and 1, both excluded.
    Fraction,
    /// A number above 0, up to 10¹².
    Positive,
    /// A number that a function checks, as it is typed.
    Real(fn(&str) -> Result<f64, String>),
    /// Yes or no.
    Flag,
    /// A name.
    Name(NameRule),
}

/// How names of one kind are read.
#[derive(Clone, Copy, Debug)]
pub struct NameRule {
    /// The name as filch prints it, or why it is none.
    pub canonical: fn(&str) -> Result<String, String>,
    /// The forms of all names.
    pub forms: fn() -> Vec<&'static str>,
}

/// The value of a parameter that is not given.
#[derive(Clone, Copy, Debug)]
pub enum DefaultValue {
    /// There is none: the parameter must be given.
    Required,
    /// This whole number.
    Whole(u64),
    /// This number.
    Real(f64),
    /// This name.
    Text(&'static str),
    /// No.
    No,
    /// It depends on the other parameters, as this says.
    Other(&'static str),
}

const MOST_POSITIVE: f64 = 1e12;

impl Parameter {
    /// The value in its canonical form.
    ///
    /// # Errors
    ///
    /// What is wrong with the value and what is allowed, in the words of the command line.
    pub fn read(&self, value: &Value) -> Result<Value, String> {
        match (self.kind, value) {
            (ParameterKind::Whole { least, most }, _) => match value {
                Value::Whole(number) if (i128::from(least)..=most.into()).contains(number) => {
                    Ok(value.clone())
                }
                _ => Err(not(
                    value,
                    &format!("a whole number from {least} to {most}"),
                )),
            },
            (ParameterKind::Flag, Value::Flag(_)) => Ok(value.clone()),
            (ParameterKind::Flag, _) => Err(not(value, "true or false")),
            (ParameterKind::Name(rule), Value::Text(text)) => {
                (rule.canonical)(text).map(Value::Text)
            }
            (ParameterKind::Name(_), _) => {
                Err(not(value, "a name: write it in quotes, as in \"half\""))
            }
            (ParameterKind::Fraction, _) => within(value, |number| 0.0 < number && number < 1.0)
                .ok_or_else(|| not(value, "a number between 0 and 1, both excluded")),
            (ParameterKind::Positive, _) => within(value, |number| {
                0.0 < number && number <= MOST_POSITIVE
            })
            .ok_or_else(|| not(value, &format!("a positive number up to {MOST_POSITIVE:e}"))),
            (ParameterKind::Real(_), Value::Text(_) | Value::Flag(_)) => {
                Err(not(value, "a number"))
            }
            (ParameterKind::Real(read), _) => read(&value.typed()).map(Value::Real),
        }
    }

    /// The forms of the names that it takes; none if it takes no names.
    pub fn forms(&self) -> Vec<&'static str> {
        match self.kind {
            ParameterKind::Name(rule) => (rule.forms)(),
            _ => Vec::new(),
        }
    }

    /// The default in its canonical form; `None` if it depends on the other parameters.
    pub(super) fn default_value(&self) -> Option<Value> {
        match self.default {
            DefaultValue::Required | DefaultValue::Other(_) => None,
            DefaultValue::Whole(number) => Some(number.into()),
            DefaultValue::Real(number) => Some(number.into()),
            DefaultValue::Text(text) => Some(text.into()),
            DefaultValue::No => Some(false.into()),
        }
    }

    /// The column that has the values.
    pub(super) fn column(&self) -> Column {
        Column {
            name: self.name,
            kind: match self.kind {
                ParameterKind::Whole { .. } => ColumnKind::Whole,
                ParameterKind::Flag => ColumnKind::Flag,
                ParameterKind::Name(_) => ColumnKind::Text,
                _ => ColumnKind::Real,
            },
            meaning: self.meaning,
        }
    }
}

/// The number, if it is within bounds.
fn within(value: &Value, bounds: impl Fn(f64) -> bool) -> Option<Value> {
    let number = match value {
        Value::Whole(number) => *number as f64,
        Value::Real(number) => *number,
        Value::Text(_) | Value::Flag(_) => return None,
    };
    bounds(number).then_some(Value::Real(number))
}

fn not(value: &Value, needs: &str) -> String {
    let shown = match value {
        // In its own quotes, since what is wrong may be just that it is text.
        Value::Text(_) => value.to_string(),
        _ => value.typed(),
    };
    format!("'{shown}' is not {needs}")
}
