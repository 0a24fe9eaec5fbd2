//! Names of policies: read, printed, listed and refused.

use filch_policy::dispatch::{PLAIN, Spec};
use proptest::prelude::*;

proptest! {
    #[test]
    fn names_are_printed_and_read_back(parameter in 1..1000usize) {
        for policy in Spec::examples(parameter) {
            prop_assert_eq!(policy.to_string().parse(), Ok(policy));
        }
    }

    #[test]
    fn any_name_is_read_or_refused(name in "(idle\\(|idle-(fastest|one|scatter|speed)\\(|jsq|[a-z0-9:()]){0,8}") {
        if let Ok(policy) = name.parse::<Spec>() {
            prop_assert_eq!(policy.to_string().parse(), Ok(policy));
        }
    }
}

#[test]
fn short_names_are_the_papers() {
    for (typed, printed) in [
        ("pi", "pi"),
        ("idle(last)", "pi"),
        ("jiq", "jiq"),
        ("idle(random)", "jiq"),
        ("idle(jsq:2)", "idle(jsq:2)"),
        ("idle-fastest(last)", "idle-fastest(last)"),
        ("jsq:1:1", "jsq:1:1"),
    ] {
        assert_eq!(typed.parse::<Spec>().unwrap().to_string(), printed);
    }
}

#[test]
fn bad_names_say_what_to_type() {
    let list: Vec<_> = Spec::descriptions().map(|known| known.form).collect();
    let list = list.join(", ");
    let nested = "nests one use of tokens in another: put a policy without tokens inside, such as idle(last)";
    for (name, message) in [
        (
            "jqs",
            format!("unknown dispatch policy 'jqs': use one of {list}"),
        ),
        ("", format!("unknown dispatch policy '': use one of {list}")),
        (
            "idle(jqs)",
            format!("unknown dispatch policy 'jqs': use one of {list}"),
        ),
        (
            "idle(random",
            format!("unknown dispatch policy 'idle(random': use one of {list}"),
        ),
        (
            "jsq:1:1:1",
            format!("unknown dispatch policy 'jsq:1:1:1': use one of {list}"),
        ),
        (
            "jsq:0",
            "'jsq:0' is not of the form jsq:D: D is '0', use a whole number from 1".to_owned(),
        ),
        (
            "jsq:2:x",
            "'jsq:2:x' is not of the form jsq:D:M: M is 'x', use a whole number from 1".to_owned(),
        ),
        ("idle(pi)", format!("'idle(pi)' {nested}")),
        (
            "idle(idle(idle(random)))",
            format!("'idle(idle(idle(random)))' {nested}"),
        ),
        (
            "idle-fastest(idle-fastest(sed))",
            format!("'idle-fastest(idle-fastest(sed))' {nested}"),
        ),
        (
            "idle(x\ny)",
            format!(r"unknown dispatch policy 'x\ny': use one of {list}"),
        ),
        ("idle(idle(\n))", format!(r"'idle(idle(\n))' {nested}")),
        (
            "jsq:2\n",
            r"'jsq:2\n' is not of the form jsq:D: D is '2\n', use a whole number from 1".to_owned(),
        ),
    ] {
        assert_eq!(name.parse::<Spec>().unwrap_err().to_string(), message);
    }
}

/// However much is typed, the stack does not grow with it.
#[test]
fn deep_nesting_is_refused() {
    let deep = format!("{}random{}", "idle(".repeat(100_000), ")".repeat(100_000));
    let message = deep.parse::<Spec>().unwrap_err().to_string();
    assert!(message.contains("nests one use of tokens in another"));
    assert!("idle(".repeat(100_000).parse::<Spec>().is_err());
}

/// One entry of the list is one policy: each name is there once, and every one has the description
/// that `filch policies` prints.
#[test]
fn every_policy_is_listed_once() {
    let mut forms: Vec<_> = Spec::descriptions().map(|known| known.form).collect();
    let listed = forms.len();
    forms.sort_unstable();
    forms.dedup();
    assert_eq!(forms.len(), listed);
    assert_eq!(Spec::examples(2).count(), 6 * PLAIN.len());
}
