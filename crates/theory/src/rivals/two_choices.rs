//! Two choices for each job, in parallel.
//!
//! **Statement.** m jobs arrive in each round at n servers, each of which removes one job a round.
//! Each job chooses between two random servers. Then no job is likely to wait more than O(lg lg n)
//! rounds.
//!
//! **Hypotheses.** m ≤ n/(6e): at most about 6.1 % of what the servers can serve.
//!
//! **Cited.** M. Adler, P. Berenbrink, K. Schröder, *Analyzing an infinite parallel job allocation
//! process*, ESA 1998, 417–428: from its abstract, and BFG03 section 1.2.

use std::f64::consts::E;

/// The largest λ = m/n of the statement: 1/(6e).
pub const MOST_LAMBDA: f64 = 1.0 / (6.0 * E);

/// Whether the statement speaks of this λ.
pub fn applies(lambda: f64) -> bool {
    lambda <= MOST_LAMBDA
}

/// lg lg n, at least 1: what waiting times are compared with.
pub fn shape(servers: u64) -> f64 {
    (servers.max(4) as f64).log2().log2()
}

/// The least constant for which a wait of `rounds` rounds is within the statement.
pub fn least_constant(rounds: f64, servers: u64) -> f64 {
    rounds / shape(servers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sixteenth_is_too_much() {
        assert!(applies(0.06) && !applies(1.0 / 16.0));
        assert_eq!(shape(65_536), 4.0);
        assert_eq!(least_constant(2.0, 16), 1.0);
    }
}
