//! The (P, M)-recycling game: BL99, Lemma 6.
//!
//! **Statement.** The expected total delay is at most M. With probability at least 1 − ε it is at
//! most the sum over balls of max{2e·m, lg P + lg(1/ε)}, where m is how often a ball was tossed:
//! that is O(M + P lg P + P lg(1/ε)).
//!
//! **Hypotheses.** P balls and P bins, M tosses, each uniform and independent; an adversary decides
//! when to toss which balls and which to take out. (A bin gives its balls back first in, first
//! out.)

/// M.
pub fn expected(tosses: u64) -> f64 {
    tosses as f64
}

/// 1/√2: the part of M that the delay tends to for large P if all balls are always tossed at once.
///
/// Each bin is then a queue that takes out one ball a step and receives a Poisson number with mean
/// λ, so that λ²/(2·(1 − λ)) are left in it on average. A ball is in the reservoir or left in a
/// bin, so λ + λ²/(2·(1 − λ)) = 1 and λ = 2 − √2. A toss is delayed (1 − λ)/λ steps.
pub fn limit_all_at_once() -> f64 {
    std::f64::consts::FRAC_1_SQRT_2
}

/// A bound that the total delay exceeds with probability at most ε, given how often each ball was
/// tossed.
pub fn likely(tosses: &[u64], epsilon: f64) -> f64 {
    let balls = tosses.len() as f64;
    let rare = balls.log2() + (1.0 / epsilon).log2();
    let delay = |&tosses: &u64| (2.0 * std::f64::consts::E * tosses as f64).max(rare);
    tosses.iter().map(delay).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The step of the proof: (em/Δ)^Δ ≤ ε/P for Δ = max{2em, lg P + lg(1/ε)}.
    #[test]
    fn the_tail_of_one_ball() {
        for balls in [1.0f64, 10.0, 1000.0] {
            for tosses in [1.0, 5.0, 100.0] {
                for epsilon in [0.5f64, 1e-3, 1e-9] {
                    let em = std::f64::consts::E * tosses;
                    let delay = (2.0 * em).max(balls.log2() + (1.0 / epsilon).log2());
                    let tail = (em / delay).powf(delay);
                    assert!(
                        tail <= epsilon / balls * (1.0 + 1e-9),
                        "{balls} {tosses} {epsilon}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_limit_solves_its_equation() {
        let rate = 2.0 - 2.0f64.sqrt();
        assert!((rate + rate * rate / (2.0 * (1.0 - rate)) - 1.0).abs() < 1e-12);
        assert!(((1.0 - rate) / rate - limit_all_at_once()).abs() < 1e-12);
    }

    #[test]
    fn balls_that_are_never_tossed_still_count() {
        assert_eq!(likely(&[0, 0, 0, 0], 0.5), 4.0 * 3.0);
        assert_eq!(likely(&[100], 0.5), 200.0 * std::f64::consts::E);
        assert_eq!(expected(7), 7.0);
    }
}
