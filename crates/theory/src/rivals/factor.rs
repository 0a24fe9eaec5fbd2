//! Balancing when the load has changed by a factor.
//!
//! **Statement.** The expected loads of any two processors differ by at most a constant factor, and
//! the variance is bounded too.
//!
//! **Hypotheses.** As for [`inverse`](super::inverse): in every step the load of a processor changes
//! by at most a constant through generation and service.
//!
//! **Cited.** R. Lüling, B. Monien, *A dynamic distributed load balancing algorithm with provable
//! good performance*, SPAA 1993, 164–172, as BFG03 section 1.2 sums it up. The constant is not
//! given there.

pub use super::inverse::applies;

/// The least constant for which expected loads between `smallest` and `largest` are within the
/// statement; `None` if the smallest is 0.
pub fn least_constant(largest: f64, smallest: f64) -> Option<f64> {
    (smallest > 0.0).then(|| largest / smallest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotient_of_loads() {
        assert_eq!(least_constant(3.0, 2.0), Some(1.5));
        assert_eq!(least_constant(3.0, 0.0), None);
    }
}
