//! The same colour for the same name, everywhere.
//!
//! Colours are those of Okabe and Ito, which people with any of the common kinds of colour
//! blindness can tell apart; a marker of its own goes with each, so that nothing depends on colour
//! alone.

/// How many colours there are; `c0` … in the style sheet.
pub(crate) const COLOURS: usize = 7;

/// Names that have a colour of their own. Within a group no two share one as far as there are
/// enough; names of different groups never meet in a plot.
const NAMED: &[(&str, usize)] = &[
    // Dispatch policies.
    ("pi", 0),
    ("jiq", 1),
    ("jsq", 2),
    ("jsq:2", 3),
    ("jsq:1:1", 4),
    ("random", 5),
    ("round-robin", 6),
    ("last", 5),
    ("sed", 6),
    // Schedulers.
    ("stealing", 0),
    ("vertex-stealing", 3),
    ("busy-leaves", 2),
    ("greedy", 1),
    // Rules of waiting workers.
    ("leapfrog", 1),
    ("help-any", 5),
    ("hand-over", 0),
    ("hand-over-extra", 3),
    ("hand-over-own", 4),
    // Buckets.
    ("work", 2),
    ("steal", 3),
    ("wait", 1),
    ("idle", 5),
    // Placements of generators.
    ("each", 2),
    ("one", 0),
    ("k:4", 1),
    ("uniform", 3),
    ("rotate", 4),
    ("zipf:1", 5),
    ("roam", 6),
    // Steal functions.
    ("half", 0),
    ("fraction:3", 1),
    ("sqrt", 2),
    ("log2", 3),
];

/// The colour of the policy, scheduler, bucket, placement or function that a label begins with:
/// `uJSQ(1,1)`, `jsq:1:1` and `JSQ(1,1), batches whole` are the same policy.
pub(crate) fn of(label: &str) -> Option<usize> {
    let name = key(label);
    NAMED
        .iter()
        .find_map(|&(named, colour)| (named == name).then_some(colour))
}

/// What the label is about, as it is typed.
fn key(label: &str) -> String {
    let name = label.split(", ").next().unwrap_or(label).trim();
    let mut characters = name.chars();
    // The papers write u and s before the name for batches that are whole and split.
    let paper = matches!(characters.next(), Some('u' | 's'))
        && characters.next().is_some_and(char::is_uppercase);
    let name = if paper { &name[1..] } else { name };
    let typed = name.to_lowercase();
    match typed
        .strip_suffix(')')
        .and_then(|inner| inner.split_once('('))
    {
        Some(("jsq", numbers)) => format!("jsq:{}", numbers.replace(',', ":")),
        _ => typed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_policy_one_colour() {
        for [one, other] in [
            ["uPI", "PI, Theorem 3.2"],
            ["sPI", "pi"],
            ["uJSQ(2)", "jsq:2"],
            ["sJSQ(1,1)", "jsq:1:1"],
            ["JIQ, batches whole", "uJIQ"],
            ["stealing", "stealing, seed 2"],
            ["STEAL", "steal"],
        ] {
            assert!(of(one).is_some(), "{one}");
            assert_eq!(of(one), of(other), "{one} and {other}");
        }
        assert_eq!(of("uniform"), Some(3));
        assert_eq!(of("S1·P"), None);
    }

    /// The five policies of PI's figures, and the four schedulers, differ from one another.
    #[test]
    fn those_that_meet_differ() {
        for group in [
            &["pi", "jiq", "jsq", "jsq:2", "jsq:1:1"][..],
            &["greedy", "busy-leaves", "stealing", "vertex-stealing"],
            &["work", "steal", "wait", "idle"],
            &["half", "fraction:3", "sqrt", "log2"],
            &["each", "one", "k:4", "uniform", "rotate", "zipf:1"],
        ] {
            let mut colours: Vec<_> = group.iter().map(|name| of(name).unwrap()).collect();
            colours.sort();
            colours.dedup();
            assert_eq!(colours.len(), group.len(), "{group:?}");
            assert!(colours.iter().all(|&colour| colour < COLOURS));
        }
    }
}
