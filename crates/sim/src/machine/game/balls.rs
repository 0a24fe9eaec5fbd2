//! Balls and weighted bins: ABP01.

use filch_random::Stream;
use rand::RngExt;

/// Throws as many balls as there are bins; the weight of the bins that are hit.
pub fn covered_weight(weights: &[f64], rng: &mut Stream) -> f64 {
    let mut hit = vec![false; weights.len()];
    for _ in weights {
        hit[rng.random_range(0..weights.len())] = true;
    }
    let covered = weights.iter().zip(hit).filter(|(_, hit)| *hit);
    covered.map(|(weight, _)| weight).sum()
}

/// The exact probability that P balls cover less than the part β of P bins of equal weight, from
/// the distribution of the number of empty bins.
pub fn exact_below(bins: usize, beta: f64) -> f64 {
    // occupied[k]: the probability that k bins are hit after so many balls.
    let mut occupied = vec![0.0; bins + 1];
    occupied[0] = 1.0;
    for _ in 0..bins {
        for k in (1..=bins).rev() {
            let stays = occupied[k] * k as f64 / bins as f64;
            let grows = occupied[k - 1] * (bins - k + 1) as f64 / bins as f64;
            occupied[k] = stays + grows;
        }
        occupied[0] = 0.0;
    }
    (0..=bins)
        .filter(|&k| (k as f64) < beta * bins as f64)
        .map(|k| occupied[k])
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_random::{Purpose, Seed};
    use filch_stats::most_errors;

    /// Two bins: one is hit alone with probability 1/2. Three: one alone with 3/27.
    #[test]
    fn small_cases() {
        assert_eq!(exact_below(1, 0.5), 0.0);
        assert_eq!(exact_below(2, 0.5), 0.0);
        assert!((exact_below(3, 0.5) - 3.0 / 27.0).abs() < 1e-15);
        // Four: exactly one bin is hit in 4 of 256 ways.
        assert!((exact_below(4, 0.5) - 4.0 / 256.0).abs() < 1e-15);
        // All four are hit in 4! of 256 ways.
        assert!((exact_below(4, 0.9) - (1.0 - 24.0 / 256.0)).abs() < 1e-15);
        assert_eq!(exact_below(4, 0.25), 0.0);
    }

    /// The game meets its exact distribution; a right game fails this once in a million times.
    #[test]
    fn the_game_agrees_with_the_exact_probability() {
        let weights = [1.0; 9];
        let exact = exact_below(9, 0.5);
        let games = 100_000;
        let mut rng = Seed::new(1).stream(Purpose::named("balls"), 0, 0);
        let below = (0..games)
            .filter(|_| covered_weight(&weights, &mut rng) < 4.5)
            .count() as u64;
        assert!(below <= most_errors(games, exact, 5e-7), "{below}");
        let above = games - below;
        assert!(above <= most_errors(games, 1.0 - exact, 5e-7), "{above}");
    }

    #[test]
    fn weights_are_added_once() {
        let mut rng = Seed::new(1).stream(Purpose::named("balls"), 1, 0);
        assert_eq!(covered_weight(&[5.0], &mut rng), 5.0);
    }
}
