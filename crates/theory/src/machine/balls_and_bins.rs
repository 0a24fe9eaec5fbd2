//! Balls and weighted bins: ABP01.
//!
//! **Statement.** Pr[X ≥ β·W] > 1 − 1/((1 − β)·e), where X is the weight of the bins that are hit
//! and W the weight of all.
//!
//! **Hypotheses.** P balls into P bins, uniform and independent; 0 < β < 1.

use std::f64::consts::E;

/// 1 − 1/((1 − β)·e); it says nothing (is negative) for β above 1 − 1/e.
pub fn least_probability(beta: f64) -> f64 {
    1.0 - 1.0 / ((1.0 - beta) * E)
}

/// The exact expected part of the weight that is hit: 1 − (1 − 1/P)^P, above 1 − 1/e.
pub fn expected_part(bins: u64) -> f64 {
    let bins = bins as f64;
    1.0 - (1.0 - 1.0 / bins).powf(bins)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "We can collect at least half of the weight with probability at least 0.25."
    #[test]
    fn half_of_the_weight() {
        assert!(least_probability(0.5) > 0.25);
    }

    #[test]
    fn the_expected_part_falls_to_its_limit() {
        assert_eq!(expected_part(1), 1.0);
        assert_eq!(expected_part(2), 0.75);
        let parts: Vec<f64> = (1..200).map(expected_part).collect();
        assert!(parts.windows(2).all(|pair| pair[0] > pair[1]));
        assert!(parts.iter().all(|&part| part > 1.0 - 1.0 / E));
    }
}
