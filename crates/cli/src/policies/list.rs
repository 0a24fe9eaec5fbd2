//! The list of all names.

use std::fmt::Write as _;

use serde::Serialize;

use super::kinds::{NameKind, kinds};

/// The list as people read it.
pub(super) fn list() -> String {
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
    text.push_str("F stands for a name of the same kind, in idle(F) and its variants for one without tokens,\n");
    text.push_str("FILE for the name of a file, and every other capital letter for a number.\n");
    text.push_str("'filch policies NAME' checks and explains one name.\n");
    text
}

fn capitalised(title: &str) -> String {
    let (first, rest) = title.split_at(1);
    first.to_uppercase() + rest
}

/// The list as programs read it.
#[derive(Serialize)]
pub(super) struct Listed {
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

pub(super) fn listed() -> Listed {
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

#[cfg(test)]
mod tests {
    use super::*;
    use filch_policy::dispatch::Spec;

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
