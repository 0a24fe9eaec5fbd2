//! Names with parameters, such as `fib:20` or `min(half,8)`: `--help` and completions list their
//! forms, and a name that nearly is one of them is answered with that one.

use std::ffi::OsStr;
use std::fmt::Display;
use std::str::FromStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command};
use filch_policy::steal::{self, StealFunction};
use filch_workload::dag::Family;
use filch_workload::{Names, Placement};

/// A computation that has a name.
pub(crate) fn family() -> Named<Family> {
    Named::listed(Family::NAMES)
}

/// How many of its jobs an asked processor gives away.
pub(crate) fn steal_function() -> Named<StealFunction> {
    Named::of(steal::FUNCTIONS.iter().map(|function| function.form))
}

/// Where the generators sit.
pub(crate) fn placement() -> Named<Placement> {
    Named::listed(Placement::NAMES)
}

/// Reads a `T` by its name.
#[derive(Clone)]
pub(crate) struct Named<T> {
    forms: Vec<&'static str>,
    read: fn(&str, &[&'static str]) -> Result<T, String>,
}

impl<T: FromStr<Err: Display>> Named<T> {
    fn of(forms: impl IntoIterator<Item = &'static str>) -> Self {
        Self::read_by(forms, named)
    }

    fn listed(names: Names) -> Self {
        Self::of(names.iter().map(|(form, _)| *form))
    }
}

impl<T> Named<T> {
    /// Reads what is more than one name by a function that is told the forms too.
    pub(super) fn read_by(
        forms: impl IntoIterator<Item = &'static str>,
        read: fn(&str, &[&'static str]) -> Result<T, String>,
    ) -> Self {
        let forms = forms.into_iter().collect();
        Self { forms, read }
    }
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Named<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        let Self { forms, read } = self.clone();
        let read = move |text: &str| read(text, &forms);
        read.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.forms.iter().map(PossibleValue::new)))
    }
}

/// Reads one name, which may be meant for one of `forms`.
pub(super) fn named<T: FromStr<Err: Display>>(text: &str, forms: &[&str]) -> Result<T, String> {
    text.parse()
        .map_err(|error: T::Err| match nearest(text, forms.iter().copied()) {
            Some(near) => format!("{error}; {near}"),
            None => error.to_string(),
        })
}

/// How similar names are that could be meant for one another, by Jaro's measure, as clap has it.
const SIMILAR: f64 = 0.7;

/// By Jaro's measure two letters of a short name that changed places are a difference too large.
fn likeness(typed: &str, name: &str) -> f64 {
    match strsim::osa_distance(typed, name) {
        0 | 1 if name.len() > 2 => 0.95,
        _ => strsim::jaro(typed, name),
    }
}

/// `did you mean …` if `text` begins like none of `forms` but is close to one or two of them.
pub(crate) fn nearest<'a>(text: &str, forms: impl Iterator<Item = &'a str>) -> Option<String> {
    // One letter, or more than any name has, is no slip of the finger.
    if !(2..=40).contains(&text.chars().count()) {
        return None;
    }
    let head = |name: &str| name.split([':', '(']).next().unwrap_or(name).to_owned();
    let (typed, mut near) = (head(text), Vec::new());
    for form in forms {
        if head(form) == typed {
            return None;
        }
        near.push((
            likeness(&typed, &head(form)).max(strsim::jaro(text, form)),
            form,
        ));
    }
    near.retain(|(likeness, _)| *likeness > SIMILAR);
    near.sort_by(|first, second| second.0.total_cmp(&first.0));
    let names: Vec<_> = near
        .iter()
        .take(2)
        .map(|(_, form)| format!("'{form}'"))
        .collect();
    (!names.is_empty()).then(|| format!("did you mean {}?", names.join(" or ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_finger_are_recognised() {
        let forms = ["random", "jsq", "jsq:D", "idle(F)", "pi"];
        for (text, expected) in [
            ("jsq2", Some("did you mean 'jsq' or 'jsq:D'?")),
            ("jqs", Some("did you mean 'jsq' or 'jsq:D'?")),
            ("rando", Some("did you mean 'random'?")),
            ("idel(jsq)", Some("did you mean 'idle(F)'?")),
            ("nonsense", None),
            // The form is known, so what is wrong is a parameter.
            ("jsq:x", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(
                nearest(text, forms.into_iter()).as_deref(),
                expected,
                "{text}"
            );
        }
    }
}
