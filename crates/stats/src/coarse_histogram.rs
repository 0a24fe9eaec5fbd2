//! Approximate counts of integers in bounded memory.

/// Values below this are counted exactly.
const EXACT: u64 = 1 << FINE;
/// Of larger values, this many bits after the leading one are kept.
const FINE: u32 = 10;

/// Counts of 64-bit values in bounded memory: exact below 1024, to within one part in 1024 beyond.
///
/// For values that may grow without bound, such as the load of an unstable system; for small values
/// [`Histogram`](crate::Histogram) is exact. It has at most 56 · 1024 counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoarseHistogram {
    counts: Vec<u64>,
    count: u64,
    max: u64,
}

impl CoarseHistogram {
    /// Nothing counted yet.
    pub const fn new() -> Self {
        Self {
            counts: Vec::new(),
            count: 0,
            max: 0,
        }
    }

    /// Counts one `value`.
    pub fn record(&mut self, value: u64) {
        let cell = cell(value);
        if self.counts.len() <= cell {
            self.counts.resize(cell + 1, 0);
        }
        self.counts[cell] += 1;
        self.count += 1;
        self.max = self.max.max(value);
    }

    /// Counts everything that `other` has counted.
    pub fn merge(&mut self, other: &Self) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.count += other.count;
        self.max = self.max.max(other.max);
    }

    /// How many values were counted.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The values with their counts, ascending; a value beyond 1023 stands for those up to one part
    /// in 1024 below it.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let counted = self.counts.iter().enumerate().filter(|cell| *cell.1 > 0);
        counted.map(|(cell, &count)| (last_of(cell).min(self.max), count))
    }

    /// The smallest value that at least a share `p` of all do not exceed, rounded up by at most one
    /// part in 1024; the largest value (p = 1) is exact.
    ///
    /// # Panics
    ///
    /// If `p` is not within 0 … 1.
    pub fn quantile(&self, p: f64) -> Option<u64> {
        assert!((0.0..=1.0).contains(&p), "a share is between 0 and 1");
        let rank = ((p * self.count as f64).ceil() as u64).max(1);
        let mut below = 0;
        self.counts
            .iter()
            .position(|count| {
                below += count;
                below >= rank
            })
            .map(|cell| last_of(cell).min(self.max))
    }
}

/// The cell in which `value` is counted.
fn cell(value: u64) -> usize {
    if value < EXACT {
        return value as usize;
    }
    let shift = value.ilog2() - FINE;
    // The leading bits are between 1024 and 2047; each further doubling has 1024 cells of its own.
    (u64::from(shift) * EXACT + (value >> shift)) as usize
}

/// The largest value that is counted in `cell`.
fn last_of(cell: usize) -> u64 {
    let cell = cell as u64;
    if cell < 2 * EXACT {
        return cell;
    }
    let shift = cell / EXACT - 1;
    let leading = cell - shift * EXACT;
    (leading << shift) | ((1 << shift) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn cells_are_narrow_and_in_order(value in prop_oneof![0..5000u64, any::<u64>()], other in any::<u64>()) {
            let last = last_of(cell(value));
            prop_assert!(last >= value && last - value <= value / 1024);
            prop_assert_eq!(cell(last), cell(value));
            prop_assert!(last == u64::MAX || cell(last + 1) == cell(value) + 1);
            prop_assert!(value > other || cell(value) <= cell(other));
        }

        #[test]
        fn quantiles_as_sorted(values in prop::collection::vec(prop_oneof![0..50u64, 0..1u64 << 40], 1..60), p in 0.0..=1.0f64) {
            let mut histogram = CoarseHistogram::new();
            values.iter().for_each(|&value| histogram.record(value));
            let mut sorted = values.clone();
            sorted.sort_unstable();
            let rank = ((p * values.len() as f64).ceil() as usize).max(1);
            let exact = sorted[rank - 1];
            let found = histogram.quantile(p).unwrap();
            prop_assert!(found >= exact && found - exact <= exact / 1024);
            prop_assert_eq!(histogram.quantile(1.0), sorted.last().copied());
            let counted: Vec<u64> = histogram
                .iter()
                .flat_map(|(value, count)| std::iter::repeat_n(value, count as usize))
                .collect();
            prop_assert_eq!(counted.len(), sorted.len());
            for (found, exact) in counted.into_iter().zip(sorted) {
                prop_assert!(found >= exact && found - exact <= exact / 1024);
            }
        }
    }

    #[test]
    fn merged_as_if_recorded_together() {
        let of = |values: &[u64]| {
            let mut histogram = CoarseHistogram::new();
            values.iter().for_each(|&value| histogram.record(value));
            histogram
        };
        let mut merged = of(&[1, 5000]);
        merged.merge(&of(&[7, u64::MAX]));
        assert_eq!(merged, of(&[1, 7, 5000, u64::MAX]));
        assert_eq!(merged.count(), 4);
        assert_eq!(CoarseHistogram::new().quantile(0.5), None);
        assert!(merged.counts.len() <= 56 * 1024);
    }
}
