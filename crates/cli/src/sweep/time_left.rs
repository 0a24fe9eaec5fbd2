//! How long the rest of a sweep takes.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What is known of the rows to come.
///
/// A point whose rows were timed goes on as fast as they were. Others take as long as their weight
/// says, times what a unit of weight took so far. So a sweep whose last points are the longest does
/// not look nearly done after the short ones.
pub(super) struct TimeLeft {
    weights: Vec<f64>,
    threads: f64,
    known: Mutex<Known>,
}

struct Known {
    /// For each point, rows that are still to be made.
    left: Vec<u64>,
    /// For each point, rows that were timed, and their seconds.
    timed: Vec<(u64, f64)>,
    /// The seconds of all rows that were timed, and their weights.
    seconds: f64,
    weight: f64,
}

impl TimeLeft {
    /// Nothing is to be made yet.
    pub(super) fn new(weights: Vec<f64>, threads: usize) -> Self {
        let points = weights.len();
        Self {
            weights,
            threads: threads as f64,
            known: Mutex::new(Known {
                left: vec![0; points],
                timed: vec![(0, 0.0); points],
                seconds: 0.0,
                weight: 0.0,
            }),
        }
    }

    /// A row of this point is to be made.
    pub(super) fn expect(&self, rows: &[(u64, u64)]) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for &(point, _) in rows {
            known.left[point as usize] += 1;
        }
    }

    /// A row of this point was made.
    pub(super) fn made(&self, point: u64, took: Duration) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, seconds) = (point as usize, took.as_secs_f64());
        known.left[at] = known.left[at].saturating_sub(1);
        known.timed[at].0 += 1;
        known.timed[at].1 += seconds;
        known.seconds += seconds;
        known.weight += self.weights[at];
    }

    /// How long all rows that are expected take; nothing is known before a row is made.
    pub(super) fn estimate(&self) -> Option<Duration> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.weight == 0.0 {
            return None;
        }
        let unit = known.seconds / known.weight;
        let points = known.left.iter().zip(&known.timed).zip(&self.weights);
        let seconds: f64 = points
            .map(|((&left, &(rows, seconds)), weight)| {
                let each = match rows {
                    0 => unit * weight,
                    _ => seconds / rows as f64,
                };
                left as f64 * each
            })
            .sum();
        Duration::try_from_secs_f64(seconds / self.threads).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two points, of which the second is ten times as heavy.
    #[test]
    fn heavy_points_take_longer() {
        let left = TimeLeft::new(vec![1.0, 10.0], 2);
        left.expect(&[(0, 0), (0, 1), (1, 0), (1, 1)]);
        assert_eq!(left.estimate(), None);
        left.made(0, Duration::from_secs(1));
        // One more of the first, two of the second, on two threads.
        assert_eq!(left.estimate(), Some(Duration::from_millis(10_500)));
        // The second is not as heavy as was thought.
        left.made(1, Duration::from_secs(4));
        assert_eq!(left.estimate(), Some(Duration::from_millis(2500)));
        left.made(0, Duration::from_secs(1));
        left.made(1, Duration::from_secs(4));
        assert_eq!(left.estimate(), Some(Duration::ZERO));
    }
}
