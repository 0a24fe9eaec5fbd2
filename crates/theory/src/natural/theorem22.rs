//! BFG03, Theorem 22 (BFG01, Theorem 9): when the process is not stable.

use filch_policy::steal::StealFunction;
use filch_workload::Placement;

/// **Theorem 22.** Let the n generators sit equally on some k processors in every step, and let
/// f(l) ≤ j(n) for all l. Then chain X is transient if k·(j(n) + 1) < λn.
///
/// The paper's proof counts processors with work in one step. A shorter argument looks at the hosts
/// alone: their load gains λn jobs a step on average, and each of the k hosts loses at most j(n) +
/// 1 jobs, one processed and j(n) given away. So the load drifts to infinity. This argument does
/// not need the generators to sit *equally* on the hosts, so the theorem is applied to `k:K` also
/// where K does not divide n.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Theorem22 {
    /// k.
    pub hosts: u64,
    /// j(n).
    pub most: u64,
    /// k·(j(n) + 1).
    pub relieved: f64,
    /// λn.
    pub generated: f64,
}

impl Theorem22 {
    /// The theorem for a placement and a function; `None` if it does not apply, because the
    /// generators move or f is unbounded.
    pub fn new(
        processors: u64,
        lambda: f64,
        placement: Placement,
        f: StealFunction,
    ) -> Option<Self> {
        let hosts = hosts(processors, placement)?;
        let most = f.most()?;
        Some(Self {
            hosts,
            most,
            relieved: hosts as f64 * (most as f64 + 1.0),
            generated: lambda * processors as f64,
        })
    }

    /// Whether the chain is transient.
    pub fn is_unstable(&self) -> bool {
        self.relieved < self.generated
    }
}

/// k, if the generators stay where they are.
pub fn hosts(processors: u64, placement: Placement) -> Option<u64> {
    match placement {
        Placement::Each => Some(processors),
        Placement::One => Some(1),
        Placement::First(k) => Some(k.get().into()),
        Placement::Uniform
        | Placement::Roam
        | Placement::Rotate
        | Placement::Longest
        | Placement::Shortest
        | Placement::Zipf(_) => None,
    }
}

/// The least constant steal amount that the theorem does not rule out: the least j with k·(j + 1) ≥
/// λn.
pub fn line(processors: u64, lambda: f64, hosts: u64) -> u64 {
    let share = lambda * processors as f64 / hosts as f64;
    (share.ceil() as u64).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unstable(n: u64, lambda: f64, placement: &str, f: &str) -> Option<bool> {
        let theorem = Theorem22::new(n, lambda, placement.parse().unwrap(), f.parse().unwrap());
        theorem.map(|theorem| theorem.is_unstable())
    }

    /// f(l) < λn − 1 on one host is unstable: 89 − 1 of 90 is, 90 − 1 is not.
    #[test]
    fn the_line() {
        assert_eq!(unstable(100, 0.9, "one", "const:88"), Some(true));
        assert_eq!(unstable(100, 0.9, "one", "const:89"), Some(false));
        assert_eq!(unstable(100, 0.9, "k:10", "const:7"), Some(true));
        assert_eq!(unstable(100, 0.9, "k:10", "const:8"), Some(false));
        assert_eq!(unstable(100, 0.9, "k:10", "min(half,7)"), Some(true));
        assert_eq!(unstable(100, 1.0, "each", "const:0"), Some(false));
        assert_eq!((line(100, 0.9, 1), line(100, 0.9, 10)), (89, 8));
        for hosts in 1..50 {
            let j = line(1000, 0.37, hosts);
            let relieved = |j: u64| (hosts * (j + 1)) as f64;
            assert!(relieved(j) >= 370.0 && (j == 0 || relieved(j - 1) < 370.0));
        }
    }

    #[test]
    fn where_it_says_nothing() {
        for (placement, f) in [
            ("one", "half"),
            ("one", "log2"),
            ("uniform", "one"),
            ("rotate", "one"),
        ] {
            assert_eq!(unstable(100, 0.9, placement, f), None, "{placement} {f}");
        }
    }
}
