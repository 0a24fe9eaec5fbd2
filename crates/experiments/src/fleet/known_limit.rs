//! Which dispatch policies have a limit that can be computed.

use filch_policy::dispatch::Spec;
use filch_theory::limit::{Limit, NoLimit, Supermarket, SupermarketWithMemory};

/// The limit of `policy` with one dispatcher as the number of servers grows, at load λ.
///
/// `None` if filch knows no equations for the policy: they are there for `random`, `jsq:D` and
/// `jsq:D:1`.
pub fn limit_of(policy: &Spec, lambda: f64) -> Option<Result<Limit, NoLimit>> {
    let name = policy.to_string();
    let mut parts = name.split(':');
    let head = parts.next()?;
    let parameters: Option<Vec<u32>> = parts.map(|part| part.parse().ok()).collect();
    match (head, &*parameters?) {
        ("random", []) => Some(Supermarket { lambda, choices: 1 }.limit()),
        ("jsq", &[choices]) => Some(Supermarket { lambda, choices }.limit()),
        ("jsq", &[choices, 1]) => Some(SupermarketWithMemory { lambda, choices }.limit()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policies_with_equations() {
        let mean = |name: &str| {
            let limit = limit_of(&name.parse().unwrap(), 0.5)?;
            Some(limit.unwrap().mean)
        };
        assert!((mean("random").unwrap() - 1.0).abs() < 1e-9);
        assert!(mean("jsq:2:1").unwrap() < mean("jsq:2").unwrap());
        for name in ["jsq", "pi", "jsq:1:2", "round-robin", "idle(jsq:2)", "sed"] {
            assert_eq!(mean(name), None, "{name}");
        }
    }

    #[test]
    fn overload_has_no_limit() {
        let limit = limit_of(&"random".parse().unwrap(), 1.0);
        assert_eq!(limit, Some(Err(NoLimit::Overloaded)));
    }
}
