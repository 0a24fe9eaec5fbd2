//! What the statistical tests of this crate share.
//!
//! Seeds are fixed, so a test passes always or never. The error rates beside the assertions say
//! how likely a *correct* sampler was to fail when the seed was first chosen; a seed that had to be
//! searched for would be worth nothing.

use filch_random::{Purpose, Seed, Stream};
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// The stream of test number `index`.
pub(crate) fn stream(index: u64) -> Stream {
    Seed::default().stream(Purpose::named("tests"), 0, index)
}

/// The p-value of Pearson's chi-square test that `observed` counts come from `probabilities`.
///
/// Neighbouring cells are joined until ten observations are expected in each, below which the
/// statistic no longer follows the chi-square distribution well.
pub(crate) fn p_value(observed: &[u64], probabilities: &[f64]) -> f64 {
    assert_eq!(observed.len(), probabilities.len());
    let total: u64 = observed.iter().sum();
    let whole: f64 = probabilities.iter().sum();
    assert!(
        (whole - 1.0).abs() < 1e-6,
        "the probabilities add up to {whole}"
    );

    let mut cells: Vec<(f64, f64)> = Vec::new();
    let mut cell = (0.0, 0.0);
    for (&count, probability) in observed.iter().zip(probabilities) {
        cell.0 += count as f64;
        cell.1 += probability * total as f64;
        if cell.1 >= 10.0 {
            cells.push(std::mem::take(&mut cell));
        }
    }
    let last = cells.last_mut().expect("enough observations for one cell");
    *last = (last.0 + cell.0, last.1 + cell.1);
    assert!(cells.len() > 1, "one cell fits everything");

    let statistic: f64 = cells
        .iter()
        .map(|(count, expected)| (count - expected).powi(2) / expected)
        .sum();
    ChiSquared::new((cells.len() - 1) as f64)
        .unwrap()
        .sf(statistic)
}

/// Fails if `observed` deviates from `probabilities` as counts drawn from them do once in 10 000
/// times.
#[track_caller]
pub(crate) fn assert_drawn_from(probabilities: &[f64], observed: &[u64]) {
    let p = p_value(observed, probabilities);
    assert!(p > 1e-4, "p = {p:e}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    /// The test that the other tests rest on must tell a fair die from a die whose six comes up
    /// four in a hundred times too often, with 60 000 throws of each.
    #[test]
    fn the_test_has_teeth() {
        let mut rng = stream(0);
        let (mut fair, mut loaded) = ([0; 6], [0; 6]);
        for _ in 0..60_000 {
            fair[rng.random_range(0..6)] += 1;
            let throw = if rng.random_bool(0.04) {
                5
            } else {
                rng.random_range(0..6)
            };
            loaded[throw] += 1;
        }
        assert_drawn_from(&[1.0 / 6.0; 6], &fair);
        assert!(p_value(&loaded, &[1.0 / 6.0; 6]) < 1e-6);
    }

    /// 10²/50 + 10²/50 = 4 with one degree of freedom: two standard deviations, 0.0455.
    #[test]
    fn the_p_value_is_the_textbook_one() {
        let p = p_value(&[60, 40], &[0.5, 0.5]);
        assert!((p - 0.0455).abs() < 1e-4, "{p}");
    }

    #[test]
    fn thin_cells_are_joined() {
        // Five thin cells become one of ten: 90 and 10 expected, 80 and 20 seen, statistic 11.1.
        let p = p_value(&[80, 4, 4, 4, 4, 4], &[0.9, 0.02, 0.02, 0.02, 0.02, 0.02]);
        assert!((p - 0.000858).abs() < 1e-5, "{p}");
    }
}
