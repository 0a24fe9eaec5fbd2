//! Communication: BL99, abstract and section 6.
//!
//! **Statement.** The expected total communication is O(P·Tinf·(1 + nd)·Smax).
//!
//! **Hypotheses.** A fully strict computation under the work-stealing algorithm on P processors.
//!
//! The bound is existentially optimal. The paper gives no constant, so the function has none.

use num_bigint::BigUint;

use super::Hypotheses;

/// P·Tinf·(1 + nd)·Smax.
pub fn size(given: &Hypotheses) -> BigUint {
    BigUint::from(given.processors)
        * given.span
        * (BigUint::from(given.nd) + 1u32)
        * given.largest_frame
}

#[cfg(test)]
mod tests {
    use super::super::hypotheses::FIGURE_1;
    use super::*;

    #[test]
    fn on_the_example_of_the_paper() {
        assert_eq!(size(&FIGURE_1), 60u32.into());
    }
}
