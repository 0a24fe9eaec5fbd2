//! A sweep as plain data, and why it is refused.

use std::fmt;

use super::value::Value;

/// A sweep as a file or a program describes it. [`Plan::new`](super::Plan::new) checks it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Description {
    /// The name of the [model](super::Model).
    pub model: String,
    /// Parameters by name, each with one value or several. A point is a choice of one value for
    /// each parameter.
    pub grid: Vec<(String, Vec<Value>)>,
    /// Replications of each point; with a precision, the first of them. 8 if none are given.
    pub replications: Option<u64>,
    /// The relative half-width of the 95 % interval that is wanted, such as 0.01.
    pub until: Option<f64>,
    /// The most replications of a point that are made for it. 1024 if none are given.
    pub most_replications: Option<u64>,
    /// What all randomness comes from. 1 if none is given.
    pub seed: Option<u64>,
}

/// What is wrong with a description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The field: `model`, `replications`, `until`, `most_replications`, or a parameter.
    pub field: String,
    /// Which of its values, if it is one of several.
    pub value: Option<usize>,
    /// What is wrong, and what is allowed.
    pub problem: String,
    /// The forms of the names that are allowed there, if it is an unknown name.
    pub forms: Vec<&'static str>,
}

impl Refusal {
    pub(super) fn of(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            value: None,
            problem: problem.into(),
            forms: Vec::new(),
        }
    }

    pub(super) fn at(self, value: usize) -> Self {
        let value = Some(value);
        Self { value, ..self }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.problem)
    }
}

impl std::error::Error for Refusal {}
