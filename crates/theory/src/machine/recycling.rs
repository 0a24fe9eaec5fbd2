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
    fn balls_that_are_never_tossed_still_count() {
        assert_eq!(likely(&[0, 0, 0, 0], 0.5), 4.0 * 3.0);
        assert_eq!(likely(&[100], 0.5), 200.0 * std::f64::consts::E);
        assert_eq!(expected(7), 7.0);
    }
}
