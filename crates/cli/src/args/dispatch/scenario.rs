//! A scenario file.
//!
//! ```toml
//! slots = 1_000_000
//! policies = ["pi", "jiq", "jsq", "jsq:2", "jsq:1:1"]
//! batches = "whole"                  # or "split" or "both"
//! loads = [0.5, 0.99]                # or arrivals = ["poisson:495", "trace:batches.txt"]
//!
//! [classes]
//! slow = "uniform:1"
//! fast = "uniform:10"
//!
//! [[farms]]
//! name = "10:90"
//! servers = { slow = 10, fast = 90 }
//! ```
//!
//! Every complaint names file, line and field.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use filch_experiments::dispatch::{Demand, Farm};
use filch_random::Seed;
use filch_sim::farm::{Batches, Class, Length, Servers};
use filch_workload::{Capacity, Load};
use serde::Deserialize;
use toml::Spanned;

use super::{Described, servers};
use crate::failure::Failure;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawScenario {
    slots: Option<Spanned<i64>>,
    warmup: Option<Spanned<i64>>,
    seed: Option<Spanned<i64>>,
    batches: Option<Spanned<String>>,
    policies: Spanned<Vec<Spanned<String>>>,
    loads: Option<Spanned<Vec<Spanned<f64>>>>,
    arrivals: Option<Spanned<Vec<Spanned<String>>>>,
    #[serde(default)]
    allow_overload: bool,
    classes: BTreeMap<Spanned<String>, Spanned<String>>,
    farms: Spanned<Vec<RawFarm>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFarm {
    name: Option<String>,
    servers: Spanned<BTreeMap<Spanned<String>, Spanned<i64>>>,
}

/// A file and what it says, to find lines in.
struct Source<'a> {
    file: String,
    text: &'a str,
}

impl Source<'_> {
    /// The complaint about `field` at this place of the text.
    fn refuse(&self, at: usize, field: &str, problem: impl std::fmt::Display) -> Failure {
        let line = self.text[..at.min(self.text.len())].matches('\n').count() + 1;
        Failure::usage(format!("{}, line {line}: {field}: {problem}", self.file))
    }
}

pub(super) fn read(path: &Path) -> Result<Described, Failure> {
    let file = path.to_string_lossy().escape_debug().to_string();
    let text = fs::read_to_string(path).map_err(|error| {
        Failure::usage(format!("cannot read the scenario file '{file}': {error}"))
    })?;
    understand(file, &text)
}

fn understand(file: String, text: &str) -> Result<Described, Failure> {
    let said = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    if !text.lines().any(said) {
        return Err(Failure::usage(format!(
            "the scenario file '{file}' is empty: it needs policies, loads, classes and farms"
        )));
    }
    let source = Source { file, text };
    let raw: RawScenario = toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let message = error.message().replace('\n', ", ");
        source.refuse(at, "malformed", message)
    })?;
    let slots = slots(&source, "slots", raw.slots)?;
    let warm_up = self::slots(&source, "warmup", raw.warmup)?;
    let seed = raw.seed.map(|seed| {
        u64::try_from(*seed.get_ref())
            .map(Seed::new)
            .map_err(|_| source.refuse(seed.span().start, "seed", "it is a whole number from 0"))
    });
    let classes = classes(&source, raw.classes)?;
    let nothing = |at: usize, field| source.refuse(at, field, "there is nothing in the list");
    if raw.policies.get_ref().is_empty() {
        return Err(nothing(raw.policies.span().start, "policies"));
    }
    if raw.farms.get_ref().is_empty() {
        return Err(nothing(raw.farms.span().start, "farms"));
    }
    let farms = raw.farms.into_inner().into_iter();
    let farms = farms
        .map(|farm| self::farm(&source, &classes, farm))
        .collect::<Result<_, _>>()?;
    let mut names = Vec::new();
    for name in raw.policies.get_ref() {
        names.push(name.get_ref().as_str());
        super::policies(names.iter().copied())
            .map_err(|problem| source.refuse(name.span().start, "policies", problem))?;
    }
    Ok(Described {
        farms,
        demands: demands(&source, raw.loads, raw.arrivals, raw.allow_overload)?,
        batches: batches(&source, raw.batches)?,
        policies: super::policies(names.into_iter()).expect("each was read before"),
        slots,
        warm_up,
        seed: seed.transpose()?,
        place: source.file,
    })
}

fn slots(
    source: &Source<'_>,
    field: &str,
    raw: Option<Spanned<i64>>,
) -> Result<Option<u32>, Failure> {
    let number = |raw: Spanned<i64>| {
        let number = u32::try_from(*raw.get_ref())
            .ok()
            .filter(|&slots| slots <= Length::MOST_SLOTS);
        let needs = format!("it is a whole number from 0 to {}", Length::MOST_SLOTS);
        number.ok_or_else(|| source.refuse(raw.span().start, field, needs))
    };
    raw.map(number).transpose()
}

fn batches(source: &Source<'_>, raw: Option<Spanned<String>>) -> Result<Vec<Batches>, Failure> {
    let Some(raw) = raw else {
        return Ok(vec![Batches::Whole]);
    };
    match raw.get_ref().as_str() {
        "whole" => Ok(vec![Batches::Whole]),
        "split" => Ok(vec![Batches::Split]),
        "both" => Ok(Batches::ALL.to_vec()),
        other => {
            let problem = format!("'{}' is none of whole, split, both", other.escape_debug());
            Err(source.refuse(raw.span().start, "batches", problem))
        }
    }
}

type Classes = Vec<(String, Capacity)>;

/// The classes in the order in which they stand in the file.
fn classes(
    source: &Source<'_>,
    raw: BTreeMap<Spanned<String>, Spanned<String>>,
) -> Result<Classes, Failure> {
    let mut raw: Vec<_> = raw.into_iter().collect();
    raw.sort_by_key(|(name, _)| name.span().start);
    let class = |(name, capacity): (Spanned<String>, Spanned<String>)| {
        let name = name.into_inner();
        let at = capacity.span().start;
        let capacity = servers::capacity_of(capacity.get_ref()).map_err(|error| {
            source.refuse(at, &format!("classes.{}", name.escape_debug()), error)
        })?;
        Ok((name, capacity))
    };
    raw.into_iter().map(class).collect()
}

/// A farm's servers are numbered in the order of the classes, however they are listed.
fn farm(source: &Source<'_>, classes: &Classes, raw: RawFarm) -> Result<Farm, Failure> {
    let at = raw.servers.span().start;
    let counts = raw.servers.into_inner();
    for (name, count) in &counts {
        if !classes.iter().any(|class| class.0 == *name.get_ref()) {
            let known: Vec<_> = classes
                .iter()
                .map(|class| class.0.escape_debug().to_string())
                .collect();
            let problem = format!(
                "unknown class '{}': use one of {}, or add it under [classes]",
                name.get_ref().escape_debug(),
                known.join(", ")
            );
            return Err(source.refuse(name.span().start, "farms.servers", problem));
        }
        if *count.get_ref() < 0 {
            return Err(source.refuse(
                count.span().start,
                "farms.servers",
                "a count is at least 0",
            ));
        }
    }
    let mut members = Vec::new();
    for (name, capacity) in classes {
        let count = counts.iter().find(|(known, _)| known.get_ref() == name);
        if let Some((_, count)) = count {
            members.push(Class::new(
                name.clone(),
                *count.get_ref() as usize,
                capacity.clone(),
            ));
        }
    }
    let listed: Vec<_> = members
        .iter()
        .map(|class| format!("{}={}@{}", class.name, class.count, class.capacity))
        .collect();
    let servers =
        Servers::of(members).map_err(|error| source.refuse(at, "farms.servers", error))?;
    Ok(Farm {
        name: raw.name.unwrap_or_else(|| listed.join(",")),
        servers,
    })
}

fn demands(
    source: &Source<'_>,
    loads: Option<Spanned<Vec<Spanned<f64>>>>,
    arrivals: Option<Spanned<Vec<Spanned<String>>>>,
    overload: bool,
) -> Result<Vec<Demand>, Failure> {
    let mut demands = Vec::new();
    for load in loads.into_iter().flat_map(Spanned::into_inner) {
        let number = *load.get_ref();
        let checked = match overload {
            true => Load::with_overload(number),
            false => Load::new(number),
        };
        let hint = if overload {
            ""
        } else {
            "; to go beyond, say allow_overload = true"
        };
        demands.push(Demand::Load(checked.map_err(|error| {
            source.refuse(load.span().start, "loads", format!("{error}{hint}"))
        })?));
    }
    for name in arrivals.into_iter().flat_map(Spanned::into_inner) {
        let parsed = name.get_ref().parse();
        demands.push(Demand::Arrivals(parsed.map_err(|error| {
            source.refuse(name.span().start, "arrivals", error)
        })?));
    }
    if demands.is_empty() {
        return Err(source.refuse(0, "loads", "say how much arrives, as in loads = [0.9]"));
    }
    Ok(demands)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"# PI section 4.1
slots = 1_000
policies = ["pi", "jsq:2"]
batches = "both"
loads = [0.5, 0.99]
arrivals = ["bernoulli:0.5"]
seed = 7

[classes]
slow = "1"
fast = "uniform:10"

[[farms]]
name = "10:90"
servers = { fast = 90, slow = 10 }

[[farms]]
servers = { slow = 2 }
"#;

    fn refused(text: &str) -> String {
        match understand("s.toml".into(), text) {
            Err(Failure::Usage(message)) => message,
            Err(other) => panic!("{other:?}"),
            Ok(_) => panic!("accepted: {text}"),
        }
    }

    #[test]
    fn everything_said() {
        let said = understand("s.toml".into(), GOOD).unwrap_or_else(|error| panic!("{error:?}"));
        assert_eq!(
            (said.slots, said.warm_up, said.seed),
            (Some(1000), None, Some(Seed::new(7)))
        );
        assert_eq!(
            (said.policies.len(), said.demands.len(), said.batches.len()),
            (2, 3, 2)
        );
        let names: Vec<_> = said.farms.iter().map(|farm| &*farm.name).collect();
        assert_eq!(names, ["10:90", "slow=2@uniform:1"]);
        // Numbered in the order of the classes in the file.
        assert_eq!(said.farms[0].servers.speeds()[9..11], [1.0, 10.0]);
    }

    #[test]
    fn bad_scenarios_get_one_line_with_field_and_line() {
        let changed = |from: &str, to: &str| {
            assert!(GOOD.contains(from));
            refused(&GOOD.replace(from, to))
        };
        for (from, to, message) in [
            (
                "\"pi\"",
                "\"pie\"",
                "s.toml, line 3: policies: unknown dispatch policy 'pie': use one of",
            ),
            (
                "\"jsq:2\"",
                "\"pi\"",
                "s.toml, line 3: policies: 'pi' is named twice",
            ),
            (
                "\"pi\", \"jsq:2\"",
                "",
                "s.toml, line 3: policies: there is nothing in the list",
            ),
            (
                "both",
                "half",
                "s.toml, line 4: batches: 'half' is none of whole, split, both",
            ),
            (
                "0.99",
                "1.5",
                "s.toml, line 5: loads: 1.5: a load is between 0 and 1",
            ),
            (
                "bernoulli:0.5",
                "b:1",
                "s.toml, line 6: arrivals: unknown arrivals 'b:1'",
            ),
            (
                "seed = 7",
                "seed = -7",
                "s.toml, line 7: seed: it is a whole number from 0",
            ),
            (
                "uniform:10",
                "uniform:x",
                "s.toml, line 11: classes.fast: uniform:x: the mean must be",
            ),
            (
                "fast = 90",
                "fats = 90",
                "s.toml, line 15: farms.servers: unknown class 'fats': use one of slow, fast",
            ),
            (
                "slow = 2",
                "slow = 0",
                "s.toml, line 18: farms.servers: a farm needs at least one server",
            ),
            (
                "slow = 2",
                "slow = -2",
                "s.toml, line 18: farms.servers: a count is at least 0",
            ),
            (
                "1_000",
                "-1",
                "s.toml, line 2: slots: it is a whole number from 0 to 2147483647",
            ),
            (
                "slots",
                "slosts",
                "s.toml, line 2: malformed: unknown field `slosts`",
            ),
            (
                "1_000",
                "\"many\"",
                "s.toml, line 2: malformed: invalid type: string",
            ),
            ("[classes]", "[classes", "s.toml, line 9: malformed: "),
        ] {
            let error = changed(from, to);
            assert!(error.starts_with(message), "{error}");
            assert_eq!(error.lines().count(), 1, "{error}");
        }
        let none = GOOD.replace("loads = [0.5, 0.99]\narrivals = [\"bernoulli:0.5\"]\n", "");
        assert!(refused(&none).contains("loads: say how much arrives"));
        for empty in ["", "\n# nothing\n"] {
            assert!(refused(empty).starts_with("the scenario file 's.toml' is empty"));
        }
        assert!(refused("slots = 5").contains("missing field"));
    }
}
