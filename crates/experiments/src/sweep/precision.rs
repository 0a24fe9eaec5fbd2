//! Replications until the interval of a point is narrow enough.

use filch_stats::{Confidence, replications};

/// How narrow the interval of each point is to be.
///
/// The number of replications of a point depends on its own results alone, in the order of their
/// numbers, and so neither on threads nor on shards. The first n₀ replications are made. As long as
/// the 95 % interval of their mean (Student's, over replications) has a half-width above `relative`
/// times the mean, half as many more are added, up to `most` in all. A point with a replication
/// that has no value is not extended.
///
/// The interval is looked at several times, and the last look is the one at which it happened to be
/// narrow. So it covers the mean somewhat less often than 95 % of the time if n₀ is small. That
/// there is a look for each half more, and not for each replication, keeps the loss small.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// The half-width over the mean that is wanted.
    pub relative: f64,
    /// The most replications of a point.
    pub most: u64,
}

impl Precision {
    /// How many replications a point has to have, as far as these values of the first ones show. If
    /// that is not more than there are, the point is finished.
    pub(super) fn due(&self, first: u64, values: &[Option<f64>]) -> u64 {
        let mut due = first;
        while due < self.most
            && let Some(made) = values.get(..due as usize)
            && let Some(values) = made.iter().copied().collect::<Option<Vec<f64>>>()
            && !self.is_met(&values)
        {
            due = (due + due.div_ceil(2)).min(self.most);
        }
        due
    }

    /// Whether the interval of these values is narrow enough.
    pub(super) fn is_met(&self, values: &[f64]) -> bool {
        replications(values, Confidence::NINETY_FIVE)
            .is_ok_and(|found| found.half_width <= self.relative * found.mean.abs())
    }

    /// Reads `1%` or `0.01`.
    ///
    /// # Errors
    ///
    /// If the text is no share between 0 and 1.
    pub fn relative_from(text: &str) -> Result<f64, String> {
        let digits = |text: &str| -> Option<f64> {
            let first = text.bytes().next()?;
            (first.is_ascii_digit() || first == b'.').then_some(())?;
            text.parse().ok()
        };
        let share = match text.strip_suffix('%') {
            Some(percent) => digits(percent.trim_end()).map(|percent| percent / 100.0),
            None => digits(text),
        };
        share.filter(|&share| Self::is_share(share)).ok_or_else(|| {
            format!(
                "'{}' is not a share between 0 and 1, both excluded: write 1% or 0.01",
                text.escape_debug()
            )
        })
    }

    pub(super) fn is_share(share: f64) -> bool {
        0.0 < share && share < 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE_PERCENT: Precision = Precision {
        relative: 0.01,
        most: 20,
    };

    #[test]
    fn narrow_intervals_are_enough() {
        let narrow = [1.0, 1.001, 0.999, 1.0].map(Some);
        assert_eq!(ONE_PERCENT.due(4, &narrow), 4);
        assert_eq!(ONE_PERCENT.due(4, &narrow[..3]), 4);
        assert_eq!(ONE_PERCENT.due(4, &[Some(0.0); 4]), 4);
    }

    #[test]
    fn wide_ones_grow_by_halves_up_to_the_most() {
        let wide: Vec<_> = (0..20).map(|at| Some(f64::from(at % 5))).collect();
        for (made, due) in [(0, 4), (4, 6), (5, 6), (6, 9), (9, 14), (14, 20), (20, 20)] {
            assert_eq!(ONE_PERCENT.due(4, &wide[..made]), due, "{made}");
        }
    }

    #[test]
    fn a_point_without_a_value_is_left() {
        let gap = [Some(1.0), None, Some(5.0), Some(2.0)];
        assert_eq!(ONE_PERCENT.due(4, &gap), 4);
        // It is looked at once all are there.
        assert_eq!(ONE_PERCENT.due(4, &gap[..2]), 4);
    }

    #[test]
    fn shares_are_read() {
        for (text, share) in [("1%", 0.01), ("0.5 %", 0.005), ("0.01", 0.01), (".5", 0.5)] {
            assert_eq!(Precision::relative_from(text), Ok(share), "{text}");
        }
        for text in ["", "0", "1", "100%", "-1%", "x", "nan", "inf", "%", "1%%"] {
            let refused = Precision::relative_from(text).unwrap_err();
            assert!(
                refused.starts_with(&format!("'{text}' is not a share")),
                "{refused}"
            );
        }
    }
}
