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
use std::path::Path;

use filch_experiments::dispatch::{Classes, Demand, capacity_of};
use filch_random::Seed;
use filch_sim::farm::{Batches, Class};
use filch_workload::{Capacity, Load};
use serde::Deserialize;
use toml::Spanned;

use super::super::values::{MOST_LOADS, Whole, distinct};
use super::Slots;
use super::plan::{Blamed, Described, DescribedFarm};
use super::toml_number::{Integer, Real};
use crate::failure::Failure;
use crate::input;

/// The file, as serde sees it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a scenario")]
struct ScenarioFile {
    slots: Option<Spanned<Integer>>,
    warmup: Option<Spanned<Integer>>,
    seed: Option<Spanned<Integer>>,
    batches: Option<Spanned<String>>,
    policies: Spanned<Vec<Spanned<String>>>,
    loads: Option<Spanned<Vec<Spanned<Real>>>>,
    arrivals: Option<Spanned<Vec<Spanned<String>>>>,
    #[serde(default)]
    allow_overload: bool,
    classes: BTreeMap<Spanned<String>, Spanned<String>>,
    farms: Spanned<Vec<ScenarioFarm>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a farm, as in [[farms]]")]
struct ScenarioFarm {
    name: Option<String>,
    servers: Spanned<BTreeMap<Spanned<String>, Spanned<Integer>>>,
}

/// More bytes than this are no scenario.
const MOST_BYTES: u64 = 16 << 20;

/// A file and its text, to find lines in.
struct ScenarioText<'a> {
    file: String,
    text: &'a str,
}

impl ScenarioText<'_> {
    /// The complaint about `field` at this place of the text.
    fn refuse(&self, at: usize, field: &str, problem: impl std::fmt::Display) -> Failure {
        let line = self.text[..at.min(self.text.len())].matches('\n').count() + 1;
        Failure::usage(format!("{}, line {line}: {field}: {problem}", self.file))
    }
}

pub(super) fn read(path: &Path) -> Result<Described, Failure> {
    let file = path.to_string_lossy().escape_debug().to_string();
    let text = input::read(path, MOST_BYTES).map_err(|error| {
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
    let written = ScenarioText { file, text };
    let raw: ScenarioFile = toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let message = error.message().replace('\n', ", ");
        written.refuse(at, "malformed", message)
    })?;
    let slots: Option<Slots<1>> = whole(&written, "slots", raw.slots)?;
    let warm_up: Option<Slots<0>> = whole(&written, "warmup", raw.warmup)?;
    let seed: Option<Whole<0>> = whole(&written, "seed", raw.seed)?;
    let classes = classes(&written, raw.classes)?;
    let nothing = |at: usize, field| written.refuse(at, field, "there is nothing in the list");
    if raw.policies.get_ref().is_empty() {
        return Err(nothing(raw.policies.span().start, "policies"));
    }
    if raw.farms.get_ref().is_empty() {
        return Err(nothing(raw.farms.span().start, "farms"));
    }
    let farms = raw.farms.into_inner().into_iter();
    let farms = farms
        .map(|farm| self::farm(&written, &classes, farm))
        .collect::<Result<_, _>>()?;
    let mut names = Vec::new();
    for name in raw.policies.get_ref() {
        names.push(name.get_ref().as_str());
        distinct(names.iter().copied())
            .map_err(|problem| written.refuse(name.span().start, "policies", problem))?;
    }
    Ok(Described {
        farms,
        demands: demands(&written, raw.loads, raw.arrivals, raw.allow_overload)?,
        batches: batches(&written, raw.batches)?,
        policies: distinct(names.into_iter()).expect("each was read before"),
        slots: slots.map(|slots| slots.get() as u32),
        warm_up: warm_up.map(|slots| slots.get() as u32),
        seed: seed.map(|seed| Seed::new(seed.get())),
        blamed: Blamed {
            servers: format!("{}: farms.servers", written.file),
            policies: format!("{}: policies", written.file),
            demands: written.file,
        },
    })
}

/// The number in a field, within its range.
fn whole<const LEAST: u64, const MOST: u64>(
    written: &ScenarioText<'_>,
    field: &str,
    raw: Option<Spanned<Integer>>,
) -> Result<Option<Whole<LEAST, MOST>>, Failure> {
    let Some(raw) = raw else {
        return Ok(None);
    };
    let number = Whole::try_from(raw.get_ref().0);
    let number = number
        .map_err(|needs| written.refuse(raw.span().start, field, format!("it is {needs}")))?;
    Ok(Some(number))
}

fn batches(
    written: &ScenarioText<'_>,
    raw: Option<Spanned<String>>,
) -> Result<Vec<Batches>, Failure> {
    let Some(raw) = raw else {
        return Ok(vec![Batches::Whole]);
    };
    match raw.get_ref().as_str() {
        "whole" => Ok(vec![Batches::Whole]),
        "split" => Ok(vec![Batches::Split]),
        "both" => Ok(Batches::ALL.to_vec()),
        other => {
            let problem = format!("'{}' is none of whole, split, both", other.escape_debug());
            Err(written.refuse(raw.span().start, "batches", problem))
        }
    }
}

type NamedCapacities = Vec<(String, Capacity)>;

/// The classes in the order in which they stand in the file.
fn classes(
    written: &ScenarioText<'_>,
    raw: BTreeMap<Spanned<String>, Spanned<String>>,
) -> Result<NamedCapacities, Failure> {
    let mut raw: Vec<_> = raw.into_iter().collect();
    raw.sort_by_key(|(name, _)| name.span().start);
    let class = |(name, capacity): (Spanned<String>, Spanned<String>)| {
        let name = name.into_inner();
        let at = capacity.span().start;
        let capacity = capacity_of(capacity.get_ref()).map_err(|error| {
            written.refuse(at, &format!("classes.{}", name.escape_debug()), error)
        })?;
        Ok((name, capacity))
    };
    raw.into_iter().map(class).collect()
}

/// A farm's servers are numbered in the order of the classes, however they are listed.
fn farm(
    written: &ScenarioText<'_>,
    classes: &NamedCapacities,
    raw: ScenarioFarm,
) -> Result<DescribedFarm, Failure> {
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
            return Err(written.refuse(name.span().start, "farms.servers", problem));
        }
        let count: Result<Whole<0, { Classes::MOST }>, _> = Whole::try_from(count.get_ref().0);
        count
            .map_err(|needs| written.refuse(at, "farms.servers", format!("a count is {needs}")))?;
    }
    let mut members = Vec::new();
    for (name, capacity) in classes {
        let count = counts.iter().find(|(known, _)| known.get_ref() == name);
        if let Some((_, count)) = count {
            members.push(Class::new(
                name.clone(),
                count.get_ref().0 as usize,
                capacity.clone(),
            ));
        }
    }
    let total: u64 = members.iter().map(|class: &Class| class.count as u64).sum();
    if !(1..=Classes::MOST).contains(&total) {
        let needs = format!("a farm has from 1 to {} servers", Classes::MOST);
        return Err(written.refuse(at, "farms.servers", needs));
    }
    let listed = || {
        let class = |class: &Class| format!("{}={}@{}", class.name, class.count, class.capacity);
        members.iter().map(class).collect::<Vec<_>>().join(",")
    };
    Ok(DescribedFarm {
        name: raw.name.unwrap_or_else(listed),
        classes: members,
    })
}

fn demands(
    written: &ScenarioText<'_>,
    loads: Option<Spanned<Vec<Spanned<Real>>>>,
    arrivals: Option<Spanned<Vec<Spanned<String>>>>,
    overload: bool,
) -> Result<Vec<Demand>, Failure> {
    let mut demands = Vec::new();
    let count = loads.as_ref().map_or(0, |loads| loads.get_ref().len())
        + arrivals
            .as_ref()
            .map_or(0, |arrivals| arrivals.get_ref().len());
    if count > MOST_LOADS {
        let needs = format!("{count} of them are more than {MOST_LOADS}: use fewer");
        return Err(written.refuse(0, "loads and arrivals", needs));
    }
    for load in loads.into_iter().flat_map(Spanned::into_inner) {
        let number = load.get_ref().0;
        let checked = if overload {
            Load::with_overload(number)
        } else {
            Load::new(number)
        };
        let hint = if !overload && number >= 1.0 && number.is_finite() {
            "; to go beyond, say allow_overload = true"
        } else {
            ""
        };
        demands.push(Demand::Load(checked.map_err(|error| {
            written.refuse(load.span().start, "loads", format!("{error}{hint}"))
        })?));
    }
    for name in arrivals.into_iter().flat_map(Spanned::into_inner) {
        let parsed = name.get_ref().parse();
        demands.push(Demand::Arrivals(parsed.map_err(|error| {
            written.refuse(name.span().start, "arrivals", error)
        })?));
    }
    if demands.is_empty() {
        return Err(written.refuse(0, "loads", "say how much arrives, as in loads = [0.9]"));
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
        let classes: Vec<_> = said.farms[0]
            .classes
            .iter()
            .map(|class| &*class.name)
            .collect();
        assert_eq!(classes, ["slow", "fast"]);
    }

    /// A seed may have all 64 bits, as on the command line.
    #[test]
    fn any_seed() {
        let most = GOOD.replace("seed = 7", "seed = 18446744073709551615");
        let said = understand("s.toml".into(), &most).unwrap_or_else(|error| panic!("{error:?}"));
        assert_eq!(said.seed, Some(Seed::new(u64::MAX)));
        let more = GOOD.replace("seed = 7", "seed = 18446744073709551616");
        assert!(refused(&more).starts_with("s.toml, line 7: "));
    }

    #[test]
    fn too_many_loads_are_a_slip_of_the_finger() {
        let loads = vec!["0.5"; MOST_LOADS].join(",");
        let many = GOOD.replace("0.5, 0.99", &loads);
        assert!(refused(&many).contains("loads and arrivals: 10001 of them are more than 10000"));
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
                "s.toml, line 3: policies: pi is named twice: name each policy once",
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
                "s.toml, line 7: seed: it is a whole number from 0 to 18446744073709551615",
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
                "s.toml, line 18: farms.servers: a farm has from 1 to 4294967294 servers",
            ),
            (
                "slow = 2",
                "slow = -2",
                "s.toml, line 18: farms.servers: a count is a whole number from 0 to 4294967294",
            ),
            (
                "1_000",
                "-1",
                "s.toml, line 2: slots: it is a whole number from 1 to 2147483647",
            ),
            (
                "slots",
                "slosts",
                "s.toml, line 2: malformed: unknown field `slosts`",
            ),
            (
                "1_000",
                "\"many\"",
                "s.toml, line 2: malformed: invalid type: string \"many\", expected a whole number",
            ),
            (
                "0.99",
                "\"all\"",
                "s.toml, line 5: malformed: invalid type: string \"all\", expected a number",
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
