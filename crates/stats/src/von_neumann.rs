//! Two measures of the dependence of successive values.

use crate::Moments;

/// Von Neumann's ratio of the successive differences to the spread,
///
/// ```text
/// η = Σ (y_{k+1} − y_k)² / Σ (y_k − mean)²
/// ```
///
/// (von Neumann, *Annals of Mathematical Statistics* 12, 1941). Independent values have mean 2 and
/// variance 4(k − 2)/(k² − 1); positively correlated ones less, a slow walk nearly 0, alternating
/// ones up to 4. Values that are all equal carry no sign of dependence and are given 2.
pub fn von_neumann_ratio(values: &[f64]) -> f64 {
    let spread = values.iter().collect::<Moments>().sum_of_squares();
    if spread == 0.0 || values.len() < 2 {
        return 2.0;
    }
    values
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).powi(2))
        .sum::<f64>()
        / spread
}

/// The lag-1 autocorrelation Σ (y_k − mean)(y_{k+1} − mean) / Σ (y_k − mean)²; 0 for equal values.
pub fn lag1_autocorrelation(values: &[f64]) -> f64 {
    let moments: Moments = values.iter().collect();
    let (Some(mean), spread) = (moments.mean(), moments.sum_of_squares()) else {
        return 0.0;
    };
    if spread == 0.0 {
        return 0.0;
    }
    values
        .windows(2)
        .map(|pair| (pair[0] - mean) * (pair[1] - mean))
        .sum::<f64>()
        / spread
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processes::{AR1, TESTS, ar1};

    #[test]
    fn worked_examples() {
        // 1 2 3 4: squared differences 3·1, spread 5, lagged products 0.75 − 0.25 + 0.75 = 1.25.
        assert!((von_neumann_ratio(&[1.0, 2.0, 3.0, 4.0]) - 0.6).abs() < 1e-15);
        assert!((lag1_autocorrelation(&[1.0, 2.0, 3.0, 4.0]) - 0.25).abs() < 1e-15);
        assert!((von_neumann_ratio(&[1.0, -1.0, 1.0, -1.0]) - 3.0).abs() < 1e-15);
        for equal in [&[][..], &[7.0], &[7.0; 5]] {
            assert_eq!(
                (von_neumann_ratio(equal), lag1_autocorrelation(equal)),
                (2.0, 0.0)
            );
        }
    }

    /// Mean and variance under independence, 20 000 samples of 32 values: the mean of η has
    /// standard error 0.0024 and its variance a relative one of about 1 %; five of each.
    #[test]
    fn moments_under_independence() {
        let mut stream = TESTS.stream(AR1, 0, 10);
        let eta: Moments = (0..20_000)
            .map(|_| von_neumann_ratio(&ar1(&mut stream, 0.0, 0.0, 32)))
            .collect();
        assert!((eta.mean().unwrap() - 2.0).abs() < 0.012, "{eta:?}");
        let variance = 4.0 * 30.0 / (32.0 * 32.0 - 1.0);
        assert!(
            (eta.variance().unwrap() / variance - 1.0).abs() < 0.05,
            "{eta:?}"
        );
    }

    /// AR(1) has lag-1 correlation φ and η → 2(1 − φ); 10⁵ values, so the standard error is 0.003.
    #[test]
    fn correlation_is_recognised() {
        let series = ar1(&mut TESTS.stream(AR1, 0, 11), 0.7, 0.0, 100_000);
        assert!((lag1_autocorrelation(&series) - 0.7).abs() < 0.015);
        assert!((von_neumann_ratio(&series) - 0.6).abs() < 0.03);
    }
}
