//! `filch policies`: every name that can be typed, and what it means.

use std::fmt::{Display, Write as _};
use std::str::FromStr;

use filch_policy::Description;
use filch_policy::dispatch::Spec;
use filch_policy::steal::{self, StealFunction, Victim};
use filch_workload::{Arrivals, Capacity, Names, Placement};
use serde::Serialize;

use crate::args::{PoliciesArgs, nearest};
use crate::failure::Failure;
use crate::output;

/// One kind of name.
struct NameKind {
    /// What such a name is called, in the plural.
    title: &'static str,
    /// The question that it answers.
    question: &'static str,
    names: Vec<(&'static str, &'static str)>,
    /// Reads a name and prints it back as filch writes it.
    check: fn(&str) -> Result<String, String>,
}

fn check<T: FromStr<Err: Display> + Display>(name: &str) -> Result<String, String> {
    name.parse::<T>()
        .map(|read| read.to_string())
        .map_err(|error| error.to_string())
}

fn described(names: impl IntoIterator<Item = Description>) -> Vec<(&'static str, &'static str)> {
    names
        .into_iter()
        .map(|name| (name.form, name.meaning))
        .collect()
}

fn kinds() -> [NameKind; 6] {
    let kind = |title, question, names, check| NameKind {
        title,
        question,
        names,
        check,
    };
    let named = |names: Names| names.to_vec();
    [
        kind(
            "dispatch policies",
            "where a batch of jobs goes",
            described(Spec::descriptions()),
            check::<Spec>,
        ),
        kind(
            "steal functions",
            "how many of its jobs an asked processor gives away, at most half",
            described(steal::FUNCTIONS.iter().copied()),
            check::<StealFunction>,
        ),
        kind(
            "victim choices",
            "which processor one without work asks",
            described(steal::VICTIMS.iter().copied()),
            check::<Victim>,
        ),
        kind(
            "placements",
            "which processors host the generators of jobs",
            named(Placement::NAMES),
            check::<Placement>,
        ),
        kind(
            "arrivals",
            "how many jobs arrive in a slot",
            named(Arrivals::NAMES),
            check::<Arrivals>,
        ),
        kind(
            "capacities",
            "how many jobs a server can finish in a slot",
            named(Capacity::NAMES),
            check::<Capacity>,
        ),
    ]
}

pub(crate) fn run(options: &PoliciesArgs) -> Result<(), Failure> {
    match &options.name {
        None if options.json => output::print_json(&listed()),
        None => output::print(&list()),
        Some(name) => {
            let found = explain(name)?;
            if options.json {
                output::print_json(&found)
            } else {
                output::print(&found.to_string())
            }
        }
    }
}

/// The list as people read it.
fn list() -> String {
    let kinds = kinds();
    let forms = kinds
        .iter()
        .flat_map(|kind| &kind.names)
        .map(|(form, _)| form.len());
    let width = forms.max().unwrap_or(0);
    let mut text = String::new();
    for kind in &kinds {
        let _ = writeln!(text, "{}: {}", capitalised(kind.title), kind.question);
        for (form, meaning) in &kind.names {
            let _ = writeln!(text, "  {form:width$}  {meaning}");
        }
        text.push('\n');
    }
    text.push_str("F stands for a name of the same kind, in idle(F) and idle-fastest(F) for one without tokens,\n");
    text.push_str("FILE for the name of a file, and every other capital letter for a number.\n");
    text.push_str("'filch policies NAME' checks and explains one name.\n");
    text
}

fn capitalised(title: &str) -> String {
    let (first, rest) = title.split_at(1);
    first.to_uppercase() + rest
}

#[derive(Serialize)]
struct Listed {
    kinds: Vec<ListedKind>,
}

#[derive(Serialize)]
struct ListedKind {
    kind: &'static str,
    question: &'static str,
    names: Vec<ListedName>,
}

#[derive(Serialize)]
struct ListedName {
    name: &'static str,
    meaning: &'static str,
}

fn listed() -> Listed {
    let names = |kind: &NameKind| {
        kind.names
            .iter()
            .map(|&(name, meaning)| ListedName { name, meaning })
            .collect()
    };
    let kinds = kinds().map(|kind| ListedKind {
        kind: kind.title,
        question: kind.question,
        names: names(&kind),
    });
    Listed {
        kinds: kinds.into(),
    }
}

/// What a name means. The same name may stand for several things, such as `one` and `uniform`.
#[derive(Serialize)]
struct Explained {
    meanings: Vec<Meaning>,
}

#[derive(Serialize)]
struct Meaning {
    kind: &'static str,
    /// The name as filch prints it.
    name: String,
    form: &'static str,
    meaning: &'static str,
}

impl Display for Explained {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for Meaning {
            kind,
            name,
            form,
            meaning,
        } in &self.meanings
        {
            let form = if form == name {
                String::new()
            } else {
                format!(" ({form})")
            };
            writeln!(f, "{name}{form}, among {kind}: {meaning}")?;
        }
        Ok(())
    }
}

fn explain(name: &str) -> Result<Explained, Failure> {
    let mut meanings = Vec::new();
    let mut complaint = None;
    for kind in kinds() {
        let form = kind.names.iter().find(|(form, _)| same_shape(form, name));
        match ((kind.check)(name), form) {
            (Ok(name), Some(&(form, meaning))) => {
                meanings.push(Meaning {
                    kind: kind.title,
                    name,
                    form,
                    meaning,
                });
            }
            // The form is known, so the kind says what is wrong with the rest.
            (Err(error), Some(_)) => complaint = Some(error),
            (_, None) => {}
        }
    }
    if meanings.is_empty() {
        return Err(Failure::Usage(complaint.unwrap_or_else(|| {
            let kinds = kinds();
            let forms = kinds
                .iter()
                .flat_map(|kind| &kind.names)
                .map(|(form, _)| *form);
            format!(
                "unknown name '{}': {}'filch policies' lists all that there are",
                name.escape_debug(),
                nearest(name, forms).map_or(String::new(), |near| near + " ")
            )
        })));
    }
    Ok(Explained { meanings })
}

/// Whether `name` begins like `form` and has as many parameters: `jsq:2` is like `jsq:D`, but not
/// like `jsq`.
fn same_shape(form: &str, name: &str) -> bool {
    let head = |text: &str| text.split([':', '(']).next().unwrap_or(text).to_owned();
    let nested = |text: &str| text.contains('(');
    // A file name, a table or a nested name may hold colons of its own.
    let parameters = |text: &str| text.matches(':').count();
    head(form) == head(name)
        && nested(form) == nested(name)
        && (nested(form) || parameters(form) == parameters(name) || form == "trace:FILE")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(name: &str) -> String {
        explain(name)
            .unwrap_or_else(|failure| panic!("{failure:?}"))
            .to_string()
    }

    fn refused(name: &str) -> String {
        match explain(name) {
            Err(Failure::Usage(message)) => message,
            Err(other) => panic!("{other:?}"),
            Ok(found) => panic!("{found}"),
        }
    }

    #[test]
    fn names_are_explained() {
        for (name, text) in [
            (
                "jsq",
                "jsq, among dispatch policies: the shortest of all queues\n",
            ),
            (
                "jsq:2",
                "jsq:2 (jsq:D), among dispatch policies: the shortest of D random queues\n",
            ),
            (
                "idle(jsq:2)",
                "idle(jsq:2) (idle(F)), among dispatch policies: a random idle server; if none is idle, as F says\n",
            ),
            (
                "one",
                "one, among steal functions: one job\none, among placements: all on processor 1\n",
            ),
            (
                "trace:a:b",
                "trace:a:b (trace:FILE), among arrivals: batch sizes read from a file, one a line, again from the top after the last\n",
            ),
        ] {
            assert_eq!(explained(name), text);
        }
    }

    #[test]
    fn bad_names_get_one_line() {
        for (name, message) in [
            (
                "nonsense",
                "unknown name 'nonsense': 'filch policies' lists all that there are",
            ),
            (
                "jsq2",
                "unknown name 'jsq2': did you mean 'jsq' or 'jsq:D'? 'filch policies' lists all that \
                 there are",
            ),
            (
                "jsq:0",
                "'jsq:0' is not of the form jsq:D: D is '0', use a whole number from 1",
            ),
            (
                "bernoulli:1.5",
                "bernoulli:1.5: the probability must be between 0 and 1",
            ),
            (
                "const:many",
                "'const:many' is not of the form const:K: K is 'many', use a whole number from 0",
            ),
            (
                "k:0",
                "k:0: the number of processors must be an integer from 1 to 4294967295",
            ),
        ] {
            assert_eq!(refused(name), message);
        }
        assert!(
            refused("idle(nonsense)").starts_with("unknown dispatch policy 'nonsense': use one of")
        );
    }

    /// Every name that is listed is understood, with 2 for each number and `random` for each F.
    #[test]
    fn what_is_listed_can_be_typed() {
        for kind in kinds() {
            for (form, _) in &kind.names {
                let f = if kind.title == "steal functions" {
                    "half"
                } else {
                    "random"
                };
                let name = form
                    .replace("FILE", "batches.txt")
                    .replace("V=W,V=W,…", "1=1,3=2")
                    .replace('F', f)
                    .replace(|letter: char| letter.is_ascii_uppercase(), "1");
                assert!((kind.check)(&name).is_ok(), "{name}");
                assert!(explained(&name).contains(kind.title), "{name}");
            }
        }
    }

    /// What is said about F is true: any policy that stands alone, and no other.
    #[test]
    fn f_is_a_policy_without_tokens() {
        for policy in Spec::examples(2) {
            let nested = format!("idle({policy})").parse::<Spec>();
            assert_eq!(nested.is_ok(), !policy.listens(), "{policy}");
        }
    }

    #[test]
    fn the_list_is_narrow() {
        for line in list().lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
    }
}
