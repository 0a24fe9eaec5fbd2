//! Steal attempts of work stealing on threads, with constants: BL99 section 6.
//!
//! **Statement.** The number R of rounds of at least 3·P and fewer than 4·P steal attempts is
//! O(Tinf + lg(1/ε)) with probability at least 1 − ε, and O(Tinf) in expectation.
//!
//! **Hypotheses.** A fully strict computation under the work-stealing algorithm on P processors, in
//! the atomic-access model; thieves ask all P processors alike.
//!
//! The text that we have ends with Definition 8 and inequality 5: a run of R rounds has a delay
//! sequence (U, R, Π), where U is a path of L ≤ 2·Tinf instructions and Σ π ≥ R − L. The rest of
//! the argument, with constants, is made explicit here.
//!
//! *One round.* An instruction that is critical when a round begins has at most one thread above it
//! in its deque (Lemma 4), so it is executed in the step after the second steal from that deque. A
//! deque that has requests serves one a step, so two requests that begin in different steps are
//! followed by two steals. At most P − 1 attempts begin in a step. So the first P + 2 attempts of
//! the round begin two steps before its end or earlier, and the first 2·P + 1 a step before its end
//! or earlier. The instruction stays critical through the round only if none of the first P + 2
//! attempts is at its deque, or one of them and none of the next P − 1:
//!
//! q = (1 − 1/P)^(P+2) + (1 + 2/P)·(1 − 1/P)^(2P) < 0.51.
//!
//! *All rounds.* The probability that a given delay sequence occurs is at most q^(Σ π). An
//! instruction has at most d edges out in the augmented dag, so there are at most d^(2·Tinf) paths.
//! With L = 2·Tinf, of which m have π′ = 1, there are C(L, m)·C(R − m + L − 1, L − 1) ways to
//! divide R rounds. So the probability of R or more rounds is at most
//!
//! d^L · Σ_m C(L, m)·C(R − m + L − 1, L − 1)·q^(R − m).
//!
//! A run has fewer than 4·P attempts for each whole round and fewer than 3·P after the last. By
//! Lemma 6 the WAIT bucket gets no more than the STEAL bucket in expectation. A steal moves a frame
//! of at most Smax, and separates one thread from its parent, which then sends at most nd messages
//! and moves a frame at most nd times.

use super::Hypotheses;

/// q: above the probability that a critical instruction stays critical through a round.
pub fn survival(processors: u64) -> f64 {
    let p = processors as f64;
    let misses = 1.0 - 1.0 / p;
    misses.powf(p + 2.0) + (1.0 + 2.0 / p) * misses.powf(2.0 * p)
}

/// The logarithm of a bound on the probability of `rounds` or more; `edges` is d, the most edges
/// out of an instruction of the augmented dag.
pub fn log_probability(given: &Hypotheses, edges: u64, rounds: u64) -> f64 {
    let (length, rounds) = (2.0 * given.span as f64, rounds as f64);
    let q = survival(given.processors);
    // The term of m = 0, then each from the one before, relative to the first.
    let first = ln_choose(rounds + length - 1.0, length - 1.0) + rounds * q.ln();
    let (mut sum, mut term) = (0.0f64, 0.0f64);
    let mut log_sum = f64::NEG_INFINITY;
    let mut m = 0.0;
    loop {
        // log(e^log_sum + e^term)
        let most = log_sum.max(term);
        log_sum = most + ((log_sum - most).exp() + (term - most).exp()).ln();
        if m >= length || m >= rounds || term < log_sum - 60.0 && sum > 0.0 {
            break;
        }
        let ratio = (length - m) / (m + 1.0) * (rounds - m) / (rounds - m + length - 1.0) / q;
        term += ratio.ln();
        sum += 1.0;
        m += 1.0;
    }
    length * (edges as f64).ln() + first + log_sum
}

/// The least R that is reached with probability at most ε. One processor makes no attempt.
pub fn likely_rounds(given: &Hypotheses, edges: u64, epsilon: f64) -> u64 {
    if given.processors == 1 {
        return 0;
    }
    let enough = |rounds| log_probability(given, edges, rounds) <= epsilon.ln();
    let mut above = 2 * given.span;
    while !enough(above) {
        above *= 2;
    }
    let mut below = above / 2;
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        if enough(middle) {
            above = middle;
        } else {
            below = middle;
        }
    }
    above
}

/// A bound on the expected number of rounds: the sum of the probabilities of R or more.
pub fn expected_rounds(given: &Hypotheses, edges: u64) -> f64 {
    let certain = likely_rounds(given, edges, 1.0);
    if certain == 0 {
        return 0.0;
    }
    let mut sum = certain as f64;
    for rounds in certain.. {
        let probability = log_probability(given, edges, rounds).exp();
        sum += probability;
        if probability < 1e-9 {
            break;
        }
    }
    sum
}

/// Above the expected number of steal attempts: 4·P for each round, and those after the last.
pub fn expected_attempts(given: &Hypotheses, edges: u64) -> f64 {
    4.0 * given.processors as f64 * (expected_rounds(given, edges) + 1.0)
}

/// A number of steal attempts that is exceeded with probability at most ε.
pub fn likely_attempts(given: &Hypotheses, edges: u64, epsilon: f64) -> f64 {
    4.0 * given.processors as f64 * (likely_rounds(given, edges, epsilon) as f64 + 1.0)
}

/// Above the expected time: work, attempts, and as much waiting as attempts, on P processors.
pub fn expected_time(given: &Hypotheses, edges: u64) -> f64 {
    let dollars = given.work as f64 + 2.0 * expected_attempts(given, edges);
    dollars / given.processors as f64
}

/// A time that is exceeded with probability at most ε: half of ε for the attempts, and half for the
/// delay of Lemma 6, which is at most 2e·M + P·(lg P + lg(2/ε)) for M attempts.
pub fn likely_time(given: &Hypotheses, edges: u64, epsilon: f64) -> f64 {
    let (processors, half) = (given.processors as f64, epsilon / 2.0);
    let attempts = likely_attempts(given, edges, half);
    let delay = 2.0 * std::f64::consts::E * attempts
        + processors * (processors.log2() + (1.0 / half).log2());
    (given.work as f64 + attempts + delay) / processors
}

/// Communication that is exceeded with probability at most ε.
pub fn likely_communication(given: &Hypotheses, edges: u64, epsilon: f64) -> f64 {
    let each = 2.0 * (1.0 + given.nd as f64) * given.largest_frame as f64;
    each * likely_attempts(given, edges, epsilon)
}

/// Above the expected communication: 2·(1 + nd)·Smax for each attempt.
pub fn expected_communication(given: &Hypotheses, edges: u64) -> f64 {
    let each = 2.0 * (1.0 + given.nd as f64) * given.largest_frame as f64;
    each * expected_attempts(given, edges)
}

/// ln of n over k, by Stirling's series for the factorials.
fn ln_choose(n: f64, k: f64) -> f64 {
    ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k)
}

fn ln_factorial(n: f64) -> f64 {
    if n < 20.0 {
        return (2..=n as u32).map(|k| f64::from(k).ln()).sum();
    }
    let series = 1.0 / (12.0 * n) - 1.0 / (360.0 * n.powi(3));
    n * n.ln() - n + 0.5 * (std::f64::consts::TAU * n).ln() + series
}

#[cfg(test)]
mod tests {
    use super::super::hypotheses::FIGURE_1;
    use super::*;

    /// The sum of the docs, written out with exact binomials.
    #[test]
    fn as_written_out() {
        let choose =
            |n: u64, k: u64| -> f64 { (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product() };
        for (span, processors, rounds) in [(1, 2, 5), (3, 4, 40), (10, 64, 200), (10, 2, 3)] {
            let given = Hypotheses {
                span,
                processors,
                ..FIGURE_1
            };
            let (length, q) = (2 * span, survival(processors));
            let ways = |m| choose(length, m) * choose(rounds - m + length - 1, length - 1);
            let sum: f64 = (0..=length.min(rounds))
                .map(|m| ways(m) * q.powi((rounds - m) as i32))
                .sum();
            let bound = 3.0f64.powi(length as i32) * sum;
            let log = log_probability(&given, 3, rounds);
            assert!(
                (log - bound.ln()).abs() < 1e-6,
                "{span}: {log} {}",
                bound.ln()
            );
        }
    }

    /// q by counting: of 2·P + 1 attempts at P deques, none of the first P + 2 hits, or one of them
    /// and none of the rest.
    #[test]
    fn survival_by_counting() {
        for p in 2..6u64 {
            let (first, rest) = (p as i32 + 2, p as i32 - 1);
            let (hit, miss) = (1.0 / p as f64, 1.0 - 1.0 / p as f64);
            let exact =
                miss.powi(first) + f64::from(first) * hit * miss.powi(first - 1) * miss.powi(rest);
            assert!((survival(p) - exact).abs() < 1e-12, "{p}");
        }
        assert!((1..100_000).all(|p| survival(p) < 0.51));
    }

    /// For long computations fewer than 17 rounds for each instruction of the span suffice.
    #[test]
    fn the_constant() {
        for span in [100, 10_000] {
            let given = Hypotheses {
                span,
                processors: 64,
                ..FIGURE_1
            };
            let rounds = expected_rounds(&given, 3) / span as f64;
            assert!((14.0..17.0).contains(&rounds), "{span}: {rounds}");
            let rare = likely_rounds(&given, 3, 1e-6) as f64 / span as f64;
            assert!(rare < 17.0, "{span}: {rare}");
        }
    }
}
