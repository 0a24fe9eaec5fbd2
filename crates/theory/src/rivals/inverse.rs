//! Balancing with probability 1/load.
//!
//! **Statement.** At any time the expected load of any processor is within a constant factor of the
//! average load.
//!
//! **Hypotheses.** In every step the load of a processor changes by at most a constant through
//! generation and service. So generators that all sit on one of n processors are outside.
//!
//! **Cited.** L. Rudolph, M. Slivkin-Allalouf, E. Upfal, *A simple load balancing scheme for task
//! allocation in parallel machines*, SPAA 1991, 237–245, as BFG03 section 1.2 sums it up. The
//! constant is not given there.

use filch_workload::Placement;

/// The least constant for which expected loads of at most `largest` are within the statement.
pub fn least_constant(largest: f64, average: f64) -> f64 {
    largest / average
}

/// A load that changes by no more than this in a step counts as changing by a constant.
pub const BOUNDED: u64 = 8;

/// Whether the load of a processor changes by a bounded amount in a step: no processor of `n` hosts
/// more than [`BOUNDED`] generators. Under `uniform` the number is bounded in the mean alone.
pub fn applies(placement: Placement, n: u64) -> bool {
    match placement {
        Placement::Each => true,
        Placement::First(hosts) => n.div_ceil(hosts.get().into()) <= BOUNDED,
        _ => n <= BOUNDED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_generators_each_are_bounded() {
        assert!(applies(Placement::Each, 1000));
        assert!(!applies(Placement::One, 9) && !applies(Placement::Uniform, 9));
        let on = |hosts: &str| applies(hosts.parse().unwrap(), 64);
        assert!(on("k:8") && !on("k:7"));
        assert_eq!(least_constant(3.0, 1.5), 2.0);
    }
}
