use statrs::distribution::{Binomial, DiscreteCDF};

/// The most errors that `runs` independent runs can be forgiven if each errs with probability
/// `rate`: more happen with probability at most `accuse`.
///
/// This is how a stated error rate is checked without accusing an honest estimator: count its
/// errors, and complain only above this bound.
///
/// ```
/// // 1 % of 400 is 4, but 14 or more happen only once in ten thousand times.
/// assert_eq!(filch_stats::most_errors(400, 0.01, 1e-4), 13);
/// ```
///
/// # Panics
///
/// If `rate` is not within 0 … 1.
pub fn most_errors(runs: u64, rate: f64, accuse: f64) -> u64 {
    let errors = Binomial::new(rate, runs).expect("an error rate lies within 0 to 1");
    // P(more than m errors) falls with m and is 0 at m = runs: bisect.
    let (mut low, mut high) = (0, runs);
    while low < high {
        let middle = low + (high - low) / 2;
        if errors.sf(middle) <= accuse {
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
