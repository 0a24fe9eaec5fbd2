//! Steal attempts with constants: ABP01, run-time bound, and the steal-attempt lemmas before it.
//!
//! **Statement.** A run has at most 32·S phases in expectation, and at most 64·S + 16·ln(1/ε) with
//! probability at least 1 − ε, where S = Tinf. A phase lasts until P steal attempts were made, and
//! since a round makes at most P, it has fewer than 2·P. So there are at most 64·P·S attempts in
//! expectation, and at most 2·P·(64·S + 16·ln(1/ε)) with probability at least 1 − ε. A round of a
//! worker is an instruction or an attempt, so a run takes (T1 + attempts)/P rounds.
//!
//! **Hypotheses.** At most two edges out of an instruction; work stealing on vertices by P workers
//! in a dedicated environment; attempts fail only on empty deques.
//!
//! (The text sums up its second bound with 18 in the place of 16; its proof, with m = 32·S +
//! 16·ln(1/ε) phases beyond the first 32·S, gives 16.)

use num_bigint::BigUint;

use super::Hypotheses;

/// 32·S.
pub fn expected_phases(given: &Hypotheses) -> BigUint {
    BigUint::from(32u32) * given.span
}

/// 64·S + 16·ln(1/ε).
pub fn likely_phases(given: &Hypotheses, epsilon: f64) -> f64 {
    64.0 * given.span as f64 + 16.0 * (1.0 / epsilon).ln()
}

/// 64·P·S: above the expected number of steal attempts.
pub fn expected_attempts(given: &Hypotheses) -> BigUint {
    expected_phases(given) * 2u32 * given.processors
}

/// Above the number of steal attempts with probability at least 1 − ε.
pub fn likely_attempts(given: &Hypotheses, epsilon: f64) -> f64 {
    2.0 * given.processors as f64 * likely_phases(given, epsilon)
}

/// T1/P + 64·S: above the expected number of rounds.
pub fn expected_time(given: &Hypotheses) -> f64 {
    given.work as f64 / given.processors as f64 + 64.0 * given.span as f64
}

/// Above the number of rounds with probability at least 1 − ε.
pub fn likely_time(given: &Hypotheses, epsilon: f64) -> f64 {
    (given.work as f64 + likely_attempts(given, epsilon)) / given.processors as f64
}

/// A phase takes a quarter of the potential with more than this probability.
pub const SUCCESS: f64 = 0.25;

#[cfg(test)]
mod tests {
    use super::super::hypotheses::FIGURE_1;
    use super::super::potential;
    use super::*;

    /// 8·S successes, each of which takes 4 phases in expectation.
    #[test]
    fn thirty_two_is_four_times_eight() {
        let successes = potential::most_successes(&FIGURE_1);
        assert_eq!(expected_phases(&FIGURE_1), successes * 4u32);
    }

    /// The Chernoff bound of the proof: with n = 64·S + 16·ln(1/ε) phases, fewer than 8·S successes
    /// have probability at most e^(−a²/2np) ≤ ε, where p = 1/4 and a = np − 8·S.
    #[test]
    fn the_likely_phases_suffice() {
        for span in [1, 10, 1000] {
            let given = Hypotheses { span, ..FIGURE_1 };
            for epsilon in [0.5, 1e-3, 1e-12] {
                let mean = SUCCESS * likely_phases(&given, epsilon);
                let below = mean - 8.0 * span as f64;
                let tail = (-below * below / (2.0 * mean)).exp();
                assert!(tail <= epsilon, "{span} {epsilon}: {tail}");
            }
        }
    }

    #[test]
    fn on_the_example_of_the_paper() {
        assert_eq!(expected_attempts(&FIGURE_1), 1280u32.into());
        assert_eq!(expected_time(&FIGURE_1), 651.5);
        let likely = likely_time(&FIGURE_1, (-1.0f64).exp());
        assert!((likely - (11.5 + 2.0 * 656.0)).abs() < 1e-9, "{likely}");
    }
}
