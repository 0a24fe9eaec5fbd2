//! Linear expansion of space: BL99, Lemma 2 and Theorem 5.
//!
//! **Statement.** S(X) ≤ S1·P.
//!
//! **Hypotheses.** Lemma 2: any computation, any schedule with the busy-leaves property. Theorem 5:
//! a fully strict computation under work stealing on threads, which has that property.

use num_bigint::BigUint;

use super::Hypotheses;

/// S1·P.
pub fn space(given: &Hypotheses) -> BigUint {
    BigUint::from(given.stack_depth) * given.processors
}

#[cfg(test)]
mod tests {
    use super::super::hypotheses::FIGURE_1;
    use super::*;

    #[test]
    fn a_product_that_does_not_overflow() {
        assert_eq!(space(&FIGURE_1), 6u32.into());
        let large = Hypotheses {
            stack_depth: u64::MAX,
            processors: u64::MAX,
            ..FIGURE_1
        };
        let square = "340282366920938463426481119284349108225";
        assert_eq!(space(&large).to_string(), square);
    }
}
