//! Bounds on the number of errors that a stated error rate allows.

use statrs::distribution::{Binomial, DiscreteCDF};

/// The number of errors that `runs` independent runs, each of which errs with probability `rate`,
/// exceed with probability at most `significance`.
///
/// A test of a stated error rate counts errors and fails above this bound, so a correct estimator
/// fails it with probability at most `significance`.
///
/// ```
/// // 1 % of 400 is 4, but 14 or more happen only once in ten thousand times.
/// assert_eq!(filch_stats::most_errors(400, 0.01, 1e-4), 13);
/// ```
///
/// # Panics
///
/// If `rate` is not within 0 … 1.
pub fn most_errors(runs: u64, rate: f64, significance: f64) -> u64 {
    let errors = Binomial::new(rate, runs).expect("an error rate lies within 0 to 1");
    // P(more than m errors) falls with m and is 0 at m = runs: bisect.
    let (mut low, mut high) = (0, runs);
    while low < high {
        let middle = low + (high - low) / 2;
        if errors.sf(middle) <= significance {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_cases_by_hand() {
        // Two fair coins: two heads with probability 1/4, at least one with 3/4.
        assert_eq!(most_errors(2, 0.5, 0.24), 2);
        assert_eq!(most_errors(2, 0.5, 0.26), 1);
        assert_eq!(most_errors(2, 0.5, 0.76), 0);
        assert_eq!(most_errors(0, 0.5, 1e-9), 0);
        assert_eq!(most_errors(100, 0.0, 1e-9), 0);
        assert_eq!(most_errors(100, 1.0, 1e-9), 100);
    }
}
