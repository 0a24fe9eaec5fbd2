//! The parameters of one point, by their names.

use std::str::FromStr;

use super::parameter::Parameter;
use super::value::Value;

/// A value, or none, for each parameter of a model.
pub(super) struct Settings<'a> {
    pub(super) parameters: &'static [Parameter],
    pub(super) values: &'a mut [Option<Value>],
}

/// Why a point cannot be run: the parameter to blame, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Misfit {
    pub(super) field: &'static str,
    pub(super) problem: String,
}

impl Misfit {
    pub(super) fn new(field: &'static str, problem: impl ToString) -> Self {
        Self {
            field,
            problem: problem.to_string(),
        }
    }
}

impl Settings<'_> {
    fn at(&self, name: &str) -> usize {
        let known = self.parameters.iter().position(|one| one.name == name);
        known.expect("a parameter of the model")
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.values[self.at(name)].as_ref()
    }

    pub(super) fn is_given(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Gives a value to a parameter that has none.
    pub(super) fn fill(&mut self, name: &str, value: impl Into<Value>) {
        let at = self.at(name);
        self.values[at].get_or_insert(value.into());
    }

    /// A whole number that is there.
    pub(super) fn whole(&self, name: &str) -> u64 {
        match self.get(name) {
            Some(Value::Whole(number)) => u64::try_from(*number).expect("it was read"),
            other => unreachable!("{name} is {other:?}"),
        }
    }

    /// A number that is there.
    pub(super) fn real(&self, name: &str) -> f64 {
        match self.get(name) {
            Some(Value::Real(number)) => *number,
            other => unreachable!("{name} is {other:?}"),
        }
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        self.get(name) == Some(&Value::Flag(true))
    }

    /// What a name means, if one is given.
    pub(super) fn named<T: FromStr>(&self, name: &str) -> Option<T> {
        match self.get(name)? {
            Value::Text(text) => text.parse().ok(),
            other => unreachable!("{name} is {other:?}"),
        }
    }
}
