//! A sweep file.
//!
//! ```toml
//! model = "natural"
//! replications = 8
//! until = "1%"
//! seed = 1
//!
//! [grid]
//! processors = [64, 256]
//! lambda = { from = 0.5, to = 0.9, step = 0.1 }
//! steal = "half"
//! ```
//!
//! Every complaint names file, line and field, and says what is allowed.

use std::ops::Range;

use filch_experiments::sweep::{Description, Plan, Precision, Refusal, Value};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::grid::{self, Misplaced, Placed};
use super::identity::Identity;
use crate::args::{SweepArgs, nearest};
use crate::failure::Failure;
use crate::input;

/// The name of a field.
type Name<'i> = Spanned<DeString<'i>>;

/// More bytes than this are no sweep.
const MOST_BYTES: u64 = 16 << 20;

const FIELDS: [&str; 6] = [
    "model",
    "seed",
    "replications",
    "until",
    "most_replications",
    "grid",
];

/// The plan of a file, with what was typed besides.
pub(super) fn read(options: &SweepArgs) -> Result<Plan, Failure> {
    let name = options.file.to_string_lossy().escape_debug().to_string();
    let text = input::read(&options.file, MOST_BYTES)
        .map_err(|error| Failure::usage(format!("cannot read the sweep file '{name}': {error}")))?;
    let mut written = Written::of(&name, &text)?;
    let described = &mut written.described;
    if let Some(seed) = options.seed {
        described.seed = Some(seed.get());
    }
    if options.until.is_some() {
        described.until = options.until;
        written.places.retain(|(field, _)| field != "until");
    }
    written.plan()
}

/// The plan of a sweep file in its canonical form.
pub(super) fn canonical(text: &str) -> Result<Plan, Failure> {
    Written::of("the plan", text)?.plan()
}

/// The plan of shards.
pub(super) fn plan_of(identity: &Identity) -> Result<Plan, Failure> {
    Written::of("the plan of the shards", &identity.plan)?.plan()
}

/// What a file says, and where.
struct Written<'a> {
    name: &'a str,
    text: &'a str,
    described: Description,
    /// The places of fields, and those of the values of parameters.
    places: Vec<(String, Vec<Range<usize>>)>,
}

impl<'a> Written<'a> {
    fn of(name: &'a str, text: &'a str) -> Result<Self, Failure> {
        let said = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
        if !text.lines().any(said) {
            return Err(Failure::usage(format!(
                "the sweep file '{name}' is empty: it needs a model and a [grid]"
            )));
        }
        let mut written = Self {
            name,
            text,
            described: Description::default(),
            places: Vec::new(),
        };
        let table = DeTable::parse(text).map_err(|error| {
            let at = error.span().unwrap_or(0..0);
            written.refuse(&at, "malformed", &error.message().replace('\n', ", "))
        })?;
        for (key, value) in in_order(table.get_ref()) {
            written
                .field(key, value)
                .map_err(|(problem, at)| written.refuse(&at, key.get_ref(), &problem))?;
        }
        if written.described.model.is_empty() {
            let problem = "say what to run, as in model = \"natural\"";
            return Err(written.refuse(&(0..0), "model", problem));
        }
        Ok(written)
    }

    fn field(&mut self, key: &Name<'_>, value: &Spanned<DeValue<'_>>) -> Result<(), Misplaced> {
        let (field, at) = (key.get_ref().as_ref(), value.span());
        let needs = |what: &str| (format!("it is {what}"), at.clone());
        match field {
            "model" => match value.get_ref() {
                DeValue::String(name) => self.described.model = name.to_string(),
                _ => return Err(needs("the name of a model in quotes, as in \"natural\"")),
            },
            "seed" => {
                let range = format!("from 0 to {}", u64::MAX);
                self.described.seed = Some(whole(value, &range)?);
            }
            "replications" => self.described.replications = Some(whole(value, "above 0")?),
            "most_replications" => {
                let range = "as large as replications, or larger";
                self.described.most_replications = Some(whole(value, range)?);
            }
            "until" => {
                let (read, _) = grid::value(value)?;
                let read = match read {
                    Value::Text(text) => Precision::relative_from(&text),
                    Value::Real(share) => Ok(share),
                    _ => Err("it is a share between 0 and 1, as \"1%\" or 0.01".to_owned()),
                };
                self.described.until = Some(read.map_err(|problem| (problem, at.clone()))?);
            }
            "grid" => match value.get_ref() {
                DeValue::Table(table) => return self.grid(table),
                _ => return Err(needs("a table: write [grid] and the parameters below it")),
            },
            _ => {
                let near = nearest(field, FIELDS.into_iter());
                let near = near.map_or(String::new(), |near| format!("; {near}"));
                let problem = format!("there is no such field: use {}{near}", FIELDS.join(", "));
                return Err((problem, key.span()));
            }
        }
        self.places.push((field.to_owned(), vec![at]));
        Ok(())
    }

    fn grid(&mut self, table: &DeTable<'_>) -> Result<(), Misplaced> {
        for (key, value) in in_order(table) {
            let name = key.get_ref().to_string();
            let values: Vec<Placed> =
                grid::values(value).map_err(|(problem, at)| (format!("{name}: {problem}"), at))?;
            let (values, mut places): (Vec<Value>, Vec<_>) = values.into_iter().unzip();
            // An empty list has a place too.
            places.push(key.span());
            self.described.grid.push((name.clone(), values));
            self.places.push((format!("grid.{name}"), places));
        }
        Ok(())
    }

    fn plan(&self) -> Result<Plan, Failure> {
        Plan::new(&self.described).map_err(|refusal| self.complain(&refusal))
    }

    /// A refusal with its place.
    fn complain(&self, refusal: &Refusal) -> Failure {
        let top = FIELDS.contains(&&*refusal.field);
        let field = if top {
            refusal.field.clone()
        } else {
            format!("grid.{}", refusal.field)
        };
        let places = self.places.iter().find(|(known, _)| *known == field);
        let places = places.map(|(_, places)| &places[..]);
        let of_value = |places: &[Range<usize>]| match refusal.value {
            Some(value) => places.get(value).cloned(),
            None => places.last().cloned(),
        };
        let at = places.and_then(of_value);
        let typed = match (refusal.value, top) {
            (Some(value), false) => self.typed(&refusal.field, value),
            _ => Some(refusal.field.clone()),
        };
        let near = typed.and_then(|typed| nearest(&typed, refusal.forms.iter().copied()));
        let near = near.map_or(String::new(), |near| format!("; {near}"));
        let problem = format!("{}{near}", refusal.problem);
        match at {
            Some(at) => self.refuse(&at, &field, &problem),
            None => Failure::usage(format!("{}: {field}: {problem}", self.name)),
        }
    }

    /// A value as it was typed.
    fn typed(&self, parameter: &str, value: usize) -> Option<String> {
        let grid = self.described.grid.iter();
        let (_, values) = grid.clone().find(|(name, _)| name == parameter)?;
        values.get(value).map(Value::typed)
    }

    /// The complaint about `field` at this place of the text.
    fn refuse(&self, at: &Range<usize>, field: &str, problem: &str) -> Failure {
        let before = self.text.get(..at.start).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let field = field.escape_debug();
        Failure::usage(format!("{}, line {line}: {field}: {problem}", self.name))
    }
}

/// The entries in the order in which they stand in the file: the first wrong one is complained of.
fn in_order<'a, 'i>(table: &'a DeTable<'i>) -> Vec<(&'a Name<'i>, &'a Spanned<DeValue<'i>>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

/// A whole number of 64 bits, without a sign. The range is for people to read.
fn whole(raw: &Spanned<DeValue<'_>>, range: &str) -> Result<u64, Misplaced> {
    let (value, at) = grid::value(raw)?;
    let number = match value {
        Value::Whole(number) => u64::try_from(number).ok(),
        _ => None,
    };
    let problem = format!("it is a whole number {range}");
    number.ok_or((problem, at))
}
