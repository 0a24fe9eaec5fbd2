//! Work stealing on a kernel that schedules P_A of P processes on average.
//!
//! **Statement.** Expected time O(T1/P_A + Tinf·P/P_A). No execution is faster than T1/P_A, and for
//! every P there are kernels under which no execution of a computation is faster than Tinf·P/P_A: a
//! kernel that schedules all P processes in every step has P_A = P, and a path of Tinf instructions
//! takes Tinf steps.
//!
//! **Hypotheses.** The non-blocking work stealer on P processes. The kernel is benign; or
//! oblivious, and thieves call yieldToRandom between attempts; or adaptive, and thieves call
//! yieldToAll.
//!
//! **Cited.** N. Arora, R. Blumofe, G. Plaxton, *Thread scheduling for multiprogrammed
//! multiprocessors*, Theory of Computing Systems 34 (2001); first in SPAA 1998. The bound is in the
//! abstract; the full text was not at hand, so no constants are taken from it.

use super::Hypotheses;

/// T1/P_A: no execution is faster.
pub fn lower(given: &Hypotheses, average: f64) -> f64 {
    given.work as f64 / average
}

/// T1/P_A + c·Tinf·P/P_A; `given.processors` is P.
pub fn expected(given: &Hypotheses, average: f64, constant: f64) -> f64 {
    let idle = given.span as f64 * given.processors as f64;
    (given.work as f64 + constant * idle) / average
}

/// The least c with time ≤ T1/P_A + c·Tinf·P/P_A.
pub fn least_constant(given: &Hypotheses, average: f64, time: f64) -> f64 {
    let idle = given.span as f64 * given.processors as f64;
    (time * average - given.work as f64) / idle
}

#[cfg(test)]
mod tests {
    use super::super::hypotheses::FIGURE_1;
    use super::*;

    #[test]
    fn the_least_constant_meets_the_time() {
        let constant = least_constant(&FIGURE_1, 1.25, 100.0);
        assert!((expected(&FIGURE_1, 1.25, constant) - 100.0).abs() < 1e-9);
        assert_eq!(lower(&FIGURE_1, 2.0), 11.5);
    }

    /// A chain on a kernel that takes nothing away: T = Tinf = T1 and P_A = P, so that
    /// T·P_A = T1 + (P − 1)·Tinf and the second term is needed.
    #[test]
    fn a_chain_needs_the_second_term() {
        let chain = Hypotheses {
            work: 100,
            span: 100,
            processors: 8,
            ..FIGURE_1
        };
        assert_eq!(least_constant(&chain, 8.0, 100.0), 7.0 / 8.0);
    }
}
