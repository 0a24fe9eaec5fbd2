//! The greedy-scheduling theorem: BL99, Theorem 1 (after Brent and Graham).
//!
//! **Statement.** T(X) ≤ T1/P + Tinf.
//!
//! **Hypotheses.** Any computation; X is a greedy schedule on P processors: in every step, P ready
//! instructions are executed if there are so many, otherwise all.

use super::Hypotheses;

/// T1/P + Tinf.
pub fn time(given: &Hypotheses) -> f64 {
    given.work as f64 / given.processors as f64 + given.span as f64
}

/// Whether `steps` are within the bound, decided in whole numbers: P·T ≤ T1 + P·Tinf.
pub fn holds(given: &Hypotheses, steps: u64) -> bool {
    let processors = u128::from(given.processors);
    u128::from(steps) * processors <= u128::from(given.work) + processors * u128::from(given.span)
}

#[cfg(test)]
mod tests {
    use super::super::hypotheses::FIGURE_1;
    use super::super::lower;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn on_the_example_of_the_paper() {
        assert_eq!(time(&FIGURE_1), 21.5);
        assert!(holds(&FIGURE_1, 21) && !holds(&FIGURE_1, 22));
    }

    proptest! {
        /// "As a sum of two lower bounds, it is within a factor of 2 of optimal."
        #[test]
        fn at_most_twice_the_lower_bound(
            span in 1u64..1_000_000,
            more in 0u64..1_000_000_000,
            processors in 1u64..1_000_000,
        ) {
            let given = Hypotheses { work: span + more, span, processors, ..FIGURE_1 };
            prop_assert!(time(&given) <= 2.0 * lower::time(&given) * (1.0 + 1e-12));
        }
    }
}
