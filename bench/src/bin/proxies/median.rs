//! Medians, and what is known of them.

/// The values' median, by linear interpolation between the two in the middle.
pub(crate) fn median(values: &[f64]) -> f64 {
    let sorted = sorted(values);
    match sorted.len() {
        0 => f64::NAN,
        n => f64::midpoint(sorted[(n - 1) / 2], sorted[n / 2]),
    }
}

/// An interval that contains the median of the law that the values were drawn from, independently,
/// in at least 95 of 100 cases, whatever the law is: from one order statistic to another, as many
/// from above as from below. None if there are fewer than six values, whose range is not wide
/// enough.
///
/// The interval from the k-th least to the k-th greatest of n misses the median if fewer than k
/// values are on one side of it, and how many there are is binomial with probability 1/2.
pub(crate) fn interval(values: &[f64]) -> Option<[f64; 2]> {
    let sorted = sorted(values);
    let n = sorted.len();
    let (mut missed, mut probability, mut k) = (0.0, 0.5f64.powi(n as i32), 0);
    loop {
        missed += 2.0 * probability;
        if missed > 0.05 {
            break;
        }
        k += 1;
        probability *= (n + 1 - k) as f64 / k as f64;
    }
    (k > 0).then(|| [sorted[k - 1], sorted[n - k]])
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(n: usize) -> Vec<f64> {
        (1..=n).map(|it| it as f64).collect()
    }

    #[test]
    fn the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&[]).is_nan());
    }

    /// The ranks of published tables for 95 %.
    #[test]
    fn ranks_are_those_of_the_tables() {
        assert_eq!(interval(&first(5)), None);
        assert_eq!(interval(&first(6)), Some([1.0, 6.0]));
        assert_eq!(interval(&first(8)), Some([1.0, 8.0]));
        assert_eq!(interval(&first(9)), Some([2.0, 8.0]));
        assert_eq!(interval(&first(20)), Some([6.0, 15.0]));
        assert_eq!(interval(&first(30)), Some([10.0, 21.0]));
    }
}
