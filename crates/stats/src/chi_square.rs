//! Pearson's test of counts against probabilities.

use statrs::distribution::{ChiSquared, ContinuousCDF};

/// A cell is joined with its neighbour until this many observations are expected in it; with fewer,
/// the statistic does not follow the chi-square distribution well.
const EXPECTED: f64 = 10.0;

/// Pearson's chi-square test: the p-value of `observed` counts under `probabilities`.
///
/// ```text
/// χ² = Σ (observed − expected)² / expected        p = P(X ≥ χ²)
/// ```
///
/// where X follows the chi-square distribution with one degree of freedom less than there are
/// cells. Counts that do come from `probabilities` have a p-value below α with probability α. Cells
/// are joined with the next ones until at least ten observations are expected in each; a rest at
/// the end joins the last cell. `None` if that leaves fewer than two cells.
///
/// ```
/// // 10²/50 + 10²/50 = 4 with one degree of freedom: two standard deviations.
/// let p = filch_stats::chi_square(&[60, 40], &[0.5, 0.5]).unwrap();
/// assert!((p - 0.0455).abs() < 1e-4);
/// assert_eq!(filch_stats::chi_square(&[5, 5], &[0.5, 0.5]), None);
/// ```
///
/// # Panics
///
/// If there is not one probability for each count, or if they do not add up to 1.
pub fn chi_square(observed: &[u64], probabilities: &[f64]) -> Option<f64> {
    assert_eq!(
        observed.len(),
        probabilities.len(),
        "one probability for each count"
    );
    let whole: f64 = probabilities.iter().sum();
    assert!(
        (whole - 1.0).abs() < 1e-6,
        "the probabilities add up to {whole}, not to 1"
    );
    let total = observed.iter().sum::<u64>() as f64;

    let mut cells: Vec<(f64, f64)> = Vec::new();
    let mut cell = (0.0, 0.0);
    for (&count, probability) in observed.iter().zip(probabilities) {
        cell.0 += count as f64;
        cell.1 += probability * total;
        if cell.1 >= EXPECTED {
            cells.push(core::mem::take(&mut cell));
        }
    }
    let last = cells.last_mut()?;
    *last = (last.0 + cell.0, last.1 + cell.1);

    let statistic: f64 = cells
        .iter()
        .map(|(count, expected)| (count - expected).powi(2) / expected)
        .sum();
    let law = ChiSquared::new((cells.len() - 1) as f64).ok()?;
    Some(law.sf(statistic))
}

/// [`chi_square`] under the uniform distribution: is each choice made equally often?
pub fn chi_square_uniform(observed: &[u64]) -> Option<f64> {
    if observed.is_empty() {
        return None;
    }
    let each = 1.0 / observed.len() as f64;
    chi_square(observed, &vec![each; observed.len()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::most_errors;
    use crate::processes::TESTS;
    use filch_random::Purpose;
    use rand::RngExt;

    const DICE: Purpose = Purpose::named("dice");

    fn throws(run: u64, throws: u32, loaded: f64) -> [u64; 6] {
        let mut stream = TESTS.stream(DICE, run, 0);
        let mut counts = [0; 6];
        for _ in 0..throws {
            let face = if stream.random_bool(loaded) {
                5
            } else {
                stream.random_range(0..6)
            };
            counts[face] += 1;
        }
        counts
    }

    /// At the 1 % level a fair die is rejected in about 20 of 2000 cases; fewer than 5 have
    /// probability below 1e-4. A die with four extra sixes in a hundred throws is rejected after
    /// 60 000 throws.
    #[test]
    fn the_level_is_kept_and_a_loaded_die_is_rejected() {
        let rejected = (0..2000)
            .filter(|&run| chi_square_uniform(&throws(run, 600, 0.0)).unwrap() < 0.01)
            .count() as u64;
        assert!(
            (5..=most_errors(2000, 0.01, 1e-4)).contains(&rejected),
            "{rejected}"
        );
        assert!(chi_square_uniform(&throws(9999, 60_000, 0.04)).unwrap() < 1e-6);
    }

    #[test]
    fn thin_cells_are_joined() {
        // Five thin cells become one of ten: 90 and 10 expected, 80 and 20 seen, statistic 11.1.
        let p = chi_square(&[80, 4, 4, 4, 4, 4], &[0.9, 0.02, 0.02, 0.02, 0.02, 0.02]).unwrap();
        assert!((p - 0.000858).abs() < 1e-5, "{p}");
        // What is thin at the end joins the last cell: 50 and 50 expected.
        let p = chi_square(&[60, 38, 2], &[0.5, 0.45, 0.05]).unwrap();
        assert!((p - 0.0455).abs() < 1e-4, "{p}");
    }

    #[test]
    fn too_little_says_nothing() {
        assert_eq!(chi_square_uniform(&[]), None);
        assert_eq!(chi_square_uniform(&[100]), None);
        assert_eq!(chi_square_uniform(&[9, 9]), None);
        assert!(chi_square_uniform(&[10, 10]).is_some());
    }

    #[test]
    #[should_panic(expected = "add up to 0.9, not to 1")]
    fn probabilities_are_whole() {
        chi_square(&[1, 2], &[0.5, 0.4]);
    }
}
