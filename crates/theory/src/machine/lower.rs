//! Lower bounds on the time of any schedule: BL99 section 2.
//!
//! **Statement.** TP ≥ T1/P and TP ≥ Tinf.
//!
//! **Hypotheses.** Any computation, any schedule on P processors.

use super::Hypotheses;

/// max(T1/P, Tinf).
pub fn time(given: &Hypotheses) -> f64 {
    (given.work as f64 / given.processors as f64).max(given.span as f64)
}

/// The speedup T1/T of a schedule that takes `time` steps, which is at most P and at most the
/// parallelism T1/Tinf.
pub fn speedup(given: &Hypotheses, time: f64) -> f64 {
    given.work as f64 / time
}

#[cfg(test)]
mod tests {
    use super::super::hypotheses::FIGURE_1;
    use super::*;

    #[test]
    fn on_the_example_of_the_paper() {
        assert_eq!(time(&FIGURE_1), 11.5);
        let many = Hypotheses {
            processors: 100,
            ..FIGURE_1
        };
        assert_eq!(time(&many), 10.0);
        assert_eq!(speedup(&many, time(&many)), 2.3);
    }
}
