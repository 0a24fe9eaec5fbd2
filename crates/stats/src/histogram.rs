//! Exact counts of integers.

use std::collections::BTreeMap;

use crate::decimal::rank;

/// Values below this are counted in an array, the others in a map. The array never exceeds 512 kB.
const DENSE: u64 = 1 << 16;

/// How often each value occurred: exact, for any `u64` values.
///
/// Completion times and loads are integers, so nothing has to be rounded into buckets, and the tail
/// of a distribution – where policies differ most – is as exact as its middle. Small values, which
/// are frequent, cost one array access; memory grows with the largest value up to 2¹⁶ and
/// beyond it with the number of *distinct* values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    dense: Vec<u64>,
    sparse: BTreeMap<u64, u64>,
    count: u64,
    sum: u128,
}

/// One step of a distribution function, from [`Histogram::cdf`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CdfPoint {
    /// A value that occurred.
    pub value: u64,
    /// How many recorded values are at most this one.
    pub cumulative: u64,
    /// The same as a fraction of all; the last is exactly 1.
    pub fraction: f64,
}

impl Histogram {
    /// A histogram of nothing.
    pub const fn new() -> Self {
        Self {
            dense: Vec::new(),
            sparse: BTreeMap::new(),
            count: 0,
            sum: 0,
        }
    }

    /// Counts one `value`.
    pub fn record(&mut self, value: u64) {
        self.record_n(value, 1);
    }

    /// Counts `value` as if it had been recorded `n` times.
    ///
    /// # Panics
    ///
    /// If the histogram would hold more than `u64::MAX` values.
    pub fn record_n(&mut self, value: u64, n: u64) {
        if n == 0 {
            return;
        }
        self.count = self
            .count
            .checked_add(n)
            .expect("a histogram holds at most 2^64 - 1 values");
        // Below (2⁶⁴ − 1)², since no value and no count is larger: this cannot overflow.
        self.sum += u128::from(value) * u128::from(n);
        if value < DENSE {
            let at = value as usize;
            if at >= self.dense.len() {
                self.dense.resize(at + 1, 0);
            }
            self.dense[at] += n;
        } else {
            *self.sparse.entry(value).or_default() += n;
        }
    }

    /// Counts everything that `other` has counted. The order of merging makes no difference.
    ///
    /// # Panics
    ///
    /// As [`record_n`](Self::record_n).
    pub fn merge(&mut self, other: &Self) {
        other.iter().for_each(|(value, n)| self.record_n(value, n));
    }

    /// How many values were recorded.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Their exact sum.
    pub const fn sum(&self) -> u128 {
        self.sum
    }

    /// Their mean: divided as integers first, so that only the fraction is rounded.
    pub fn mean(&self) -> Option<f64> {
        let count = u128::from(self.count);
        let whole = self.sum.checked_div(count)?;
        Some(whole as f64 + (self.sum % count) as f64 / self.count as f64)
    }

    /// The smallest value recorded.
    pub fn min(&self) -> Option<u64> {
        self.iter().next().map(|(value, _)| value)
    }

    /// The largest value recorded.
    pub fn max(&self) -> Option<u64> {
        let dense = || self.dense.len().checked_sub(1).map(|value| value as u64);
        self.sparse
            .last_key_value()
            .map(|(&value, _)| value)
            .or_else(dense)
    }

    /// The values that occurred with their counts, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        let dense = (0..)
            .zip(self.dense.iter().copied())
            .filter(|&(_, n)| n > 0);
        dense.chain(self.sparse.iter().map(|(&value, &n)| (value, n)))
    }

    /// The `p`-quantile: the smallest value v such that at least a fraction `p` of the recorded
    /// values is at most v. `None` if nothing was recorded.
    ///
    /// Always a value that occurred, never an interpolation; `quantile(0.0)` is the minimum and
    /// `quantile(1.0)` the maximum. The rank ⌈p·n⌉ is computed in integers, with `p` taken for
    /// the decimal number that it prints as: `0.9` is nine tenths, although the nearest `f64`
    /// lies above it and would make the 0.9-quantile of ten values the tenth instead of the ninth.
    ///
    /// # Panics
    ///
    /// If `p` is not within 0 … 1.
    pub fn quantile(&self, p: f64) -> Option<u64> {
        let rank = rank(p, self.count);
        self.cdf()
            .find(|point| point.cumulative >= rank)
            .map(|point| point.value)
    }

    /// The distribution function: one point for each value that occurred, ascending.
    pub fn cdf(&self) -> impl Iterator<Item = CdfPoint> {
        self.iter().scan(0, |cumulative, (value, n)| {
            *cumulative += n;
            let fraction = *cumulative as f64 / self.count as f64;
            Some(CdfPoint {
                value,
                cumulative: *cumulative,
                fraction,
            })
        })
    }
}

impl Extend<u64> for Histogram {
    fn extend<I: IntoIterator<Item = u64>>(&mut self, values: I) {
        values.into_iter().for_each(|value| self.record(value));
    }
}

impl FromIterator<u64> for Histogram {
    fn from_iter<I: IntoIterator<Item = u64>>(values: I) -> Self {
        let mut histogram = Self::new();
        histogram.extend(values);
        histogram
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_recorded() {
        let mut none = Histogram::new();
        none.record_n(5, 0);
        assert_eq!(none, Histogram::new());
        assert_eq!(
            (none.count(), none.mean(), none.min(), none.max()),
            (0, None, None, None)
        );
        assert_eq!((none.quantile(0.5), none.cdf().next()), (None, None));
    }

    #[test]
    fn decimal_quantiles_mean_what_they_say() {
        let thousand: Histogram = (1..=1000).collect();
        for (p, value) in [
            (0.0, 1),
            (0.001, 1),
            (0.9, 900),
            (0.999, 999),
            (0.9991, 1000),
            (1.0, 1000),
        ] {
            assert_eq!(thousand.quantile(p), Some(value), "{p}");
        }
        let ten: Histogram = (1..=10).collect();
        let deciles: Vec<_> = (1..=10)
            .map(|d| ten.quantile(f64::from(d) / 10.0))
            .collect();
        assert_eq!(deciles, (1..=10).map(Some).collect::<Vec<_>>());
    }

    /// One value more or less among 10¹⁹ decides, far below what an `f64` can tell apart.
    #[test]
    fn huge_counts_stay_exact() {
        let total = 10_000_000_000_000_000_000;
        let below = total / 1000 * 999;
        for (first, expected) in [(below, 1), (below - 1, u64::MAX)] {
            let mut histogram = Histogram::new();
            histogram.record_n(1, first);
            histogram.record_n(u64::MAX, total - first);
            assert_eq!(histogram.quantile(0.999), Some(expected));
        }
    }

    #[test]
    fn extreme_values_do_not_overflow() {
        let mut histogram = Histogram::new();
        histogram.record_n(u64::MAX, u64::MAX);
        assert_eq!(histogram.sum(), u128::from(u64::MAX) * u128::from(u64::MAX));
        assert_eq!(histogram.mean(), Some(u64::MAX as f64));
    }

    #[test]
    #[should_panic(expected = "at most 2^64 - 1 values")]
    fn too_many_values_are_refused() {
        let mut histogram = Histogram::new();
        histogram.record_n(0, u64::MAX);
        histogram.record(0);
    }

    /// Mostly small values, some on either side of the border between array and map, some huge.
    fn values() -> impl Strategy<Value = Vec<u64>> {
        let value = prop_oneof![5 => 0..20u64, 2 => DENSE - 3..DENSE + 3, 1 => any::<u64>()];
        prop::collection::vec(value, 1..80)
    }

    proptest! {
        #[test]
        fn agrees_with_the_sorted_values(mut values in values(), thousandths in 0..=1000usize) {
            let histogram: Histogram = values.iter().copied().collect();
            values.sort_unstable();
            let n = values.len();
            let sum: u128 = values.iter().map(|&v| u128::from(v)).sum();

            prop_assert_eq!(histogram.count(), n as u64);
            prop_assert_eq!(histogram.sum(), sum);
            let mean = sum as f64 / n as f64;
            prop_assert!((histogram.mean().unwrap() - mean).abs() <= 1e-12 * mean);
            prop_assert_eq!((histogram.min(), histogram.max()), (Some(values[0]), Some(values[n - 1])));
            let rank = (thousandths * n).div_ceil(1000).max(1);
            prop_assert_eq!(histogram.quantile(thousandths as f64 / 1000.0), Some(values[rank - 1]));

            let points: Vec<_> = histogram.cdf().collect();
            prop_assert_eq!(points.last().map(|p| p.fraction), Some(1.0));
            for point in &points {
                prop_assert_eq!(point.cumulative as usize, values.partition_point(|&v| v <= point.value));
            }
            values.dedup();
            prop_assert_eq!(points.iter().map(|p| p.value).collect::<Vec<_>>(), values);
        }

        #[test]
        fn merging_is_recording_both(left in values(), right in values()) {
            let mut merged: Histogram = left.iter().copied().collect();
            merged.merge(&right.iter().copied().collect());
            prop_assert_eq!(merged, left.into_iter().chain(right).collect::<Histogram>());
        }
    }
}
