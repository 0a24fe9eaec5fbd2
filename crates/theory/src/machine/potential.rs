//! The potential at the start, and how many phases can use it up: ABP01, proof of the run-time
//! bound.
//!
//! **Statement.** The potential starts at Φ0 = 3^(2S − 1) with S = Tinf, is a natural number, ends
//! at 0, and a successful phase takes at least a quarter of it. So at most (2S − 1)·log_{4/3} 3 <
//! 8·S phases are successful.
//!
//! **Hypotheses.** At most two edges out of an instruction; a phase has at least P steal attempts.

use num_bigint::BigUint;

use super::Hypotheses;

/// Φ0 = 3^(2S − 1), exactly.
///
/// # Panics
///
/// If the span is above 2³¹: the number would have gigabytes.
pub fn at_start(given: &Hypotheses) -> BigUint {
    let exponent = 2 * given.span - 1;
    BigUint::from(3u32).pow(u32::try_from(exponent).expect("a span below 2³¹"))
}

/// 8·S: more successful phases than there can be.
pub fn most_successes(given: &Hypotheses) -> BigUint {
    BigUint::from(8u32) * given.span
}

#[cfg(test)]
mod tests {
    use super::super::hypotheses::FIGURE_1;
    use super::*;

    #[test]
    fn a_natural_number() {
        // 3^19.
        assert_eq!(at_start(&FIGURE_1), 1_162_261_467u32.into());
    }

    /// Starting at 3^(2S − 1), fewer than 8·S successful phases reach 0, in whole numbers: a
    /// successful phase leaves at most ⌊3Φ/4⌋.
    #[test]
    fn fewer_than_eight_times_the_span_are_successful() {
        for span in [1, 2, 10, 100, 500] {
            let given = Hypotheses { span, ..FIGURE_1 };
            let mut potential = at_start(&given);
            let mut successes = 0u64;
            while potential > BigUint::ZERO {
                potential = potential * 3u32 / 4u32;
                successes += 1;
            }
            assert!(
                BigUint::from(successes) < most_successes(&given),
                "{span}: {successes}"
            );
        }
    }
}
