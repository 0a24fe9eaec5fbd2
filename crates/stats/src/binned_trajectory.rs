//! The course of a run in bounded memory.

/// The most bins that are kept.
const MOST_BINS: usize = 1 << 13;

/// The course of a run of any length in bounded memory: means over equal stretches of time.
///
/// A bin is one value at first. When there are 8192 bins, neighbours are joined and bins become
/// twice as long. So a long run has between 4096 and 8192 bins, enough for a
/// [verdict](crate::stability::assess), and a shorter run is kept as it is.
///
/// ```
/// let mut trajectory = filch_stats::BinnedTrajectory::new();
/// for step in 0..10_000 {
///     trajectory.push(f64::from(step));
/// }
/// assert_eq!(trajectory.bin_len(), 2);
/// assert_eq!(trajectory.bins().len(), 5000);
/// assert_eq!(trajectory.bins()[1], 2.5);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BinnedTrajectory {
    bins: Vec<f64>,
    bin_len: u64,
    /// The sum and number of the values after the last whole bin.
    rest: (f64, u64),
}

impl Default for BinnedTrajectory {
    fn default() -> Self {
        Self::new()
    }
}

impl BinnedTrajectory {
    /// Nothing yet.
    pub const fn new() -> Self {
        Self {
            bins: Vec::new(),
            bin_len: 1,
            rest: (0.0, 0),
        }
    }

    /// Takes the next value into account.
    pub fn push(&mut self, value: f64) {
        self.rest.0 += value;
        self.rest.1 += 1;
        if self.rest.1 < self.bin_len {
            return;
        }
        self.bins.push(self.rest.0 / self.bin_len as f64);
        self.rest = (0.0, 0);
        if self.bins.len() == MOST_BINS {
            for at in 0..MOST_BINS / 2 {
                self.bins[at] = (self.bins[2 * at] + self.bins[2 * at + 1]) / 2.0;
            }
            self.bins.truncate(MOST_BINS / 2);
            self.bin_len *= 2;
        }
    }

    /// The means over all whole bins, in order.
    pub fn bins(&self) -> &[f64] {
        &self.bins
    }

    /// How many values a bin holds.
    pub const fn bin_len(&self) -> u64 {
        self.bin_len
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_means() {
        for length in [1u64, 100, 8191, 8192, 8193, 50_000] {
            let values: Vec<f64> = (0..length).map(|i| ((i * 37) % 101) as f64).collect();
            let mut trajectory = BinnedTrajectory::new();
            values.iter().for_each(|&value| trajectory.push(value));
            let size = trajectory.bin_len() as usize;
            let means = values
                .chunks_exact(size)
                .map(|bin| bin.iter().sum::<f64>() / size as f64);
            assert!(
                trajectory
                    .bins()
                    .iter()
                    .copied()
                    .zip(means.clone())
                    .all(|(a, b)| (a - b).abs() < 1e-9)
            );
            assert_eq!(trajectory.bins().len(), means.len());
            assert!(length < 4096 || trajectory.bins().len() >= 4096);
        }
    }
}
