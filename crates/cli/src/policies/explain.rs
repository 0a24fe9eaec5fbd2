//! What one name means.

use std::fmt::Display;

use serde::Serialize;

use super::kinds::kinds;
use crate::args::nearest;
use crate::failure::Failure;

/// What a name means. The same name may stand for several things, such as `one` and `uniform`.
#[derive(Serialize)]
pub(super) struct Explained {
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

pub(super) fn explain(name: &str) -> Result<Explained, Failure> {
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
                let f = match kind.title {
                    "steal functions" => "half",
                    "rivals of the natural process" => "2",
                    _ => "random",
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
}
