//! Count, mean, variance and range.

/// Count, mean, variance and range of a sequence, updated one value at a time.
///
/// Sums of squares lose all digits when the mean is large against the spread, so the second moment
/// is kept about the running mean (Welford, *Technometrics* 4, 1962): with δ = x − mean,
///
/// ```text
/// mean ← mean + δ / n        m2 ← m2 + δ·(x − mean)        variance = m2 / (n − 1)
/// ```
///
/// NaN in, NaN out: values are not inspected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    count: u64,
    mean: f64,
    m2: f64,
    min: f64,
    max: f64,
}

impl Moments {
    /// The moments of no values at all.
    pub const fn new() -> Self {
        Self {
            count: 0,
            mean: 0.0,
            m2: 0.0,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
        }
    }

    /// Takes one more value into account.
    pub fn push(&mut self, value: f64) {
        self.count += 1;
        let delta = value - self.mean;
        self.mean += delta / self.count as f64;
        self.m2 += delta * (value - self.mean);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// Takes into account all that `other` has seen (Chan, Golub and LeVeque, *The American
    /// Statistician* 37, 1983):
    ///
    /// ```text
    /// δ    = mean_b − mean_a
    /// mean = mean_a + δ·b / (a + b)
    /// m2   = m2_a + m2_b + δ²·a·b / (a + b)
    /// ```
    ///
    /// No information is lost, but floating-point sums depend on their order: to get the same bits
    /// whatever the number of threads, merge the parts in a fixed order.
    pub fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = *other;
            return;
        }
        let (a, b) = (self.count as f64, other.count as f64);
        let delta = other.mean - self.mean;
        self.count += other.count;
        self.mean += delta * (b / (a + b));
        self.m2 += other.m2 + delta * delta * (a * b / (a + b));
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// How many values were seen.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The mean, once there is a value.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then_some(self.mean)
    }

    /// The unbiased variance (divisor n − 1), once there are two values.
    pub fn variance(&self) -> Option<f64> {
        (self.count > 1).then(|| self.m2 / (self.count - 1) as f64)
    }

    /// The square root of the variance.
    pub fn std_dev(&self) -> Option<f64> {
        self.variance().map(f64::sqrt)
    }

    /// The standard error of the mean of independent values, √(variance / n).
    pub fn std_error(&self) -> Option<f64> {
        self.variance()
            .map(|variance| (variance / self.count as f64).sqrt())
    }

    /// The smallest value.
    pub fn min(&self) -> Option<f64> {
        (self.count > 0).then_some(self.min)
    }

    /// The largest value.
    pub fn max(&self) -> Option<f64> {
        (self.count > 0).then_some(self.max)
    }

    /// Σ (x − mean)².
    pub(crate) fn sum_of_squares(&self) -> f64 {
        self.m2
    }
}

impl Default for Moments {
    fn default() -> Self {
        Self::new()
    }
}

impl Extend<f64> for Moments {
    fn extend<I: IntoIterator<Item = f64>>(&mut self, values: I) {
        values.into_iter().for_each(|value| self.push(value));
    }
}

impl FromIterator<f64> for Moments {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut moments = Self::new();
        moments.extend(values);
        moments
    }
}

impl<'a> FromIterator<&'a f64> for Moments {
    fn from_iter<I: IntoIterator<Item = &'a f64>>(values: I) -> Self {
        values.into_iter().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_example() {
        let moments: Moments = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0].iter().collect();
        assert_eq!(moments.count(), 8);
        assert_eq!(moments.mean(), Some(5.0));
        assert!((moments.variance().unwrap() - 32.0 / 7.0).abs() < 1e-14);
        assert!((moments.std_error().unwrap() - (4.0f64 / 7.0).sqrt()).abs() < 1e-14);
        assert_eq!((moments.min(), moments.max()), (Some(2.0), Some(9.0)));
    }

    #[test]
    fn nothing_is_known_of_nothing() {
        let none = Moments::new();
        assert_eq!(
            (none.mean(), none.variance(), none.min(), none.max()),
            (None, None, None, None)
        );
        let one: Moments = [3.0].iter().collect();
        assert_eq!((one.mean(), one.variance()), (Some(3.0), None));
    }

    /// The textbook formula Σx² − n·mean² gives garbage here: 10¹⁸ leaves no digit for 30.
    #[test]
    fn a_large_offset_costs_no_digits() {
        let moments: Moments = [4.0, 7.0, 13.0, 16.0].iter().map(|x| x + 1e9).collect();
        assert_eq!(moments.variance(), Some(30.0));
    }

    proptest! {
        #[test]
        fn merging_equals_one_pass(
            values in prop::collection::vec(-1e3..1e3f64, 2..60),
            cut in 0.0..1.0f64,
        ) {
            let (left, right) = values.split_at((cut * values.len() as f64) as usize);
            let mut merged: Moments = left.iter().collect();
            merged.merge(&right.iter().collect());
            let whole: Moments = values.iter().collect();

            prop_assert_eq!(merged.count(), whole.count());
            prop_assert_eq!((merged.min(), merged.max()), (whole.min(), whole.max()));
            prop_assert!((merged.mean().unwrap() - whole.mean().unwrap()).abs() < 1e-10);
            prop_assert!((merged.variance().unwrap() - whole.variance().unwrap()).abs() < 1e-7);

            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
            prop_assert!((whole.mean().unwrap() - mean).abs() < 1e-10);
            prop_assert!((whole.variance().unwrap() - variance).abs() < 1e-7);
        }
    }
}
