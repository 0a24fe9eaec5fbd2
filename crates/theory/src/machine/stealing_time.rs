//! The time of work stealing on threads: BL99 section 6.
//!
//! **Statement.** T1/P + O(Tinf) in expectation, and T1/P + O(Tinf + lg P + lg(1/ε)) with
//! probability at least 1 − ε.
//!
//! **Hypotheses.** A fully strict computation under the work-stealing algorithm on P processors, in
//! the atomic-access model.
//!
//! The paper gives no constants. So the bounds take the constant as an argument, and
//! [`least_constant`] gives the least one for which a run is within its bound.

use super::Hypotheses;

/// T1/P + c·Tinf.
pub fn expected(given: &Hypotheses, constant: f64) -> f64 {
    given.work as f64 / given.processors as f64 + constant * given.span as f64
}

/// T1/P + c·(Tinf + lg P + lg(1/ε)).
pub fn likely(given: &Hypotheses, epsilon: f64, constant: f64) -> f64 {
    let rare = (given.processors as f64).log2() + (1.0 / epsilon).log2();
    given.work as f64 / given.processors as f64 + constant * (given.span as f64 + rare)
}

/// The least c with time ≤ T1/P + c·Tinf.
pub fn least_constant(given: &Hypotheses, time: f64) -> f64 {
    (time - given.work as f64 / given.processors as f64) / given.span as f64
}

#[cfg(test)]
mod tests {
    use super::super::hypotheses::FIGURE_1;
    use super::*;

    #[test]
    fn the_least_constant_meets_the_time() {
        for time in [12.0, 21.5, 400.0] {
            let constant = least_constant(&FIGURE_1, time);
            assert!((expected(&FIGURE_1, constant) - time).abs() < 1e-9);
        }
    }

    #[test]
    fn rarer_is_longer() {
        assert_eq!(likely(&FIGURE_1, 1.0, 1.0), 11.5 + 10.0 + 1.0);
        assert_eq!(likely(&FIGURE_1, 0.25, 2.0), 11.5 + 2.0 * 13.0);
    }
}
