//! Several dispatch policies, separated by commas.

use filch_policy::dispatch::Spec;

use super::name::{Named, named};

/// Dispatch policies, each once, in the order given.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PolicyList(pub(crate) Vec<Spec>);

/// Reads `pi,jiq,jsq:2`.
pub(crate) fn policies() -> Named<PolicyList> {
    Named::read_by(forms(), |text, _| distinct(text.split(',')).map(PolicyList))
}

fn forms() -> Vec<&'static str> {
    Spec::descriptions().map(|policy| policy.form).collect()
}

/// The policies of these names.
///
/// # Errors
///
/// If a name is unknown, or two of them name the same policy.
pub(crate) fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Result<Vec<Spec>, String> {
    let (mut policies, forms): (Vec<Spec>, _) = (Vec::new(), forms());
    for name in names {
        let policy = named(name.trim(), &forms)?;
        if policies.contains(&policy) {
            return Err(format!("{policy} is named twice: name each policy once"));
        }
        policies.push(policy);
    }
    Ok(policies)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_policy_once() {
        let read = |text: &str| distinct(text.split(','));
        assert_eq!(read("pi, jsq:2").unwrap().len(), 2);
        // The same policy by two names.
        let twice = read("pi,jsq,idle(last)").unwrap_err();
        assert_eq!(twice, "pi is named twice: name each policy once");
        assert!(
            read("pi,jqs")
                .unwrap_err()
                .ends_with("; did you mean 'jsq' or 'jsq:D'?")
        );
        assert!(
            read("")
                .unwrap_err()
                .starts_with("unknown dispatch policy ''")
        );
    }
}
