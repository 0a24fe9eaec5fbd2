//! Computations that join further up than the parent.
//!
//! **Statement.** A strict computation whose threads join with ancestors at distance k at most is
//! executed in expected time O(T1/P + k·Tinf), space O(S1·P) and expected communication
//! O(P·k·Tinf·(1 + nd)·Smax).
//!
//! **Hypotheses.** A strict computation under the distributed work-stealing algorithm of the paper.
//! Here the rules of BL99 run it (`stealing`), which the paper generalises: its own algorithm was
//! not to be had.
//!
//! **Cited.** P. Fatourou, P. Spirakis, *Efficient scheduling of strict multithreaded
//! computations*, Theory of Computing Systems 33 (2000) 173–232, from its abstract; *Scheduling
//! algorithms for strict multithreaded computations*, ISAAC 1996, where the word k-strict is from.
//! No constants are given, so [`least_constant`] gives the least one for which a run is within the
//! bound.

use num_bigint::BigUint;

use super::Hypotheses;

/// T1/P + c·k·Tinf.
pub fn expected(given: &Hypotheses, k: u64, constant: f64) -> f64 {
    given.work as f64 / given.processors as f64 + constant * k as f64 * given.span as f64
}

/// The least c with time ≤ T1/P + c·k·Tinf; k is at least 1.
pub fn least_constant(given: &Hypotheses, k: u64, time: f64) -> f64 {
    let rest = time - given.work as f64 / given.processors as f64;
    rest / (k as f64 * given.span as f64)
}

/// P·k·Tinf·(1 + nd)·Smax, of which the communication is a constant multiple.
pub fn communication(given: &Hypotheses, k: u64) -> BigUint {
    super::communication::size(given) * k
}

#[cfg(test)]
mod tests {
    use super::super::hypotheses::FIGURE_1;
    use super::super::stealing_time;
    use super::*;

    /// With k = 1 the bound is that of fully strict computations.
    #[test]
    fn fully_strict_is_one_strict() {
        for time in [12.0, 40.0] {
            let least = stealing_time::least_constant(&FIGURE_1, time);
            assert_eq!(least_constant(&FIGURE_1, 1, time), least);
            assert_eq!(least_constant(&FIGURE_1, 2, time), least / 2.0);
        }
        let one = super::super::communication::size(&FIGURE_1);
        assert_eq!(communication(&FIGURE_1, 3), one * 3u32);
    }

    #[test]
    fn the_least_constant_meets_the_time() {
        let constant = least_constant(&FIGURE_1, 3, 41.5);
        assert!((expected(&FIGURE_1, 3, constant) - 41.5).abs() < 1e-9);
    }
}
