//! Where the warm-up of a run ends.

use crate::{Moments, TooFew};

/// Observations to a batch: the 5 of MSER-5.
const BATCH: usize = 5;

/// With fewer batches than this, half of them are too few to search.
const MIN_BATCHES: usize = 10;

/// The warm-up of a run: the part that its start biases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarmUp {
    /// How many observations to drop from the front; a multiple of 5.
    pub cut: usize,
    /// The best cut lies in the last twentieth of the searched half. Then the run was most likely
    /// still warming up when it ended: run longer, and do not trust the mean.
    pub at_edge: bool,
}

impl WarmUp {
    /// The part of `series`, in which this was found, after the warm-up.
    pub fn rest<'a>(&self, series: &'a [f64]) -> &'a [f64] {
        &series[self.cut..]
    }
}

/// Finds the warm-up of a run by MSER-5.
///
/// A run that starts empty begins with observations that are too small. Dropping them removes bias;
/// dropping too many adds variance. MSER (White, *Simulation* 69, 1997) balances the two: it takes
/// the d that minimises the squared standard error of the remaining values, computed as if they
/// were independent:
///
/// ```text
/// d* = argmin  Σ_{j ≥ d} (z_j − mean_d)² / (b − d)²        0 ≤ d ≤ b/2
/// ```
///
/// where z_1 … z_b are means of five consecutive observations (MSER-5: White, Cobb and Spratt,
/// *Winter Simulation Conference* 2000) and ties go to the smaller cut. Only the first half is
/// searched: near the end a few values that happen to agree would win. A remainder of fewer than
/// five observations at the end plays no part in the search.
///
/// One pass from the back with [`Moments`] serves all d, so the cost is linear and no digits
/// cancel.
pub fn mser5(series: &[f64]) -> Result<WarmUp, TooFew> {
    TooFew::check(BATCH * MIN_BATCHES, series.len())?;
    let batches = series.len() / BATCH;
    let last = batches / 2;

    let mut tail = Moments::new();
    let mut best = (f64::INFINITY, last);
    for (d, batch) in series.chunks_exact(BATCH).enumerate().rev() {
        tail.push(batch.iter().sum::<f64>() / BATCH as f64);
        if d <= last {
            let remaining = (batches - d) as f64;
            let error = tail.sum_of_squares() / (remaining * remaining);
            if error <= best.0 {
                best = (error, d);
            }
        }
    }
    let (_, d) = best;
    Ok(WarmUp {
        cut: d * BATCH,
        at_edge: d + last.div_ceil(20) > last,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processes::{AR1, QUEUE, TESTS, ar1, implausible, queue};

    /// The definition, literally.
    fn by_definition(series: &[f64]) -> usize {
        let z: Vec<f64> = series
            .chunks_exact(5)
            .map(|c| c.iter().sum::<f64>() / 5.0)
            .collect();
        let error = |d: usize| {
            let rest = &z[d..];
            let n = rest.len() as f64;
            let mean = rest.iter().sum::<f64>() / n;
            rest.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n * n)
        };
        (0..=z.len() / 2)
            .min_by(|&a, &b| error(a).total_cmp(&error(b)))
            .unwrap()
            * 5
    }

    #[test]
    fn one_pass_finds_what_the_definition_finds() {
        for run in 0..50 {
            let series = ar1(&mut TESTS.stream(AR1, run, 0), 0.9, 20.0, 203);
            assert_eq!(
                mser5(&series).unwrap().cut,
                by_definition(&series),
                "run {run}"
            );
        }
    }

    /// AR(1) with φ = 0.99 and stationary deviation 7.1, started 100 deviations too high, takes
    /// 100·ln 100 ≈ 460 steps to come within one. In 1000 such runs 1 % of the cuts lay outside
    /// 300..2000; at 2 % the bound has error rate 1e-4.
    #[test]
    fn a_start_far_away_is_cut() {
        let outside = (0..100)
            .filter(|&run| {
                let series = ar1(&mut TESTS.stream(AR1, run, 1), 0.99, 710.0, 10_000);
                let warm_up = mser5(&series).unwrap();
                assert!(!warm_up.at_edge, "run {run}: {warm_up:?}");
                !(300..2000).contains(&warm_up.cut)
            })
            .count();
        assert!((outside as u64) < implausible(0.02, 100), "{outside}");
    }

    /// In 1000 such runs the longest cut was 110 of 10 000 values.
    #[test]
    fn a_stationary_series_is_hardly_cut() {
        for run in 0..100 {
            let series = ar1(&mut TESTS.stream(AR1, run, 2), 0.5, 0.0, 10_000);
            let warm_up = mser5(&series).unwrap();
            assert!(warm_up.cut < 500, "run {run}: {warm_up:?}");
        }
    }

    #[test]
    fn a_run_that_never_settles_is_flagged() {
        let ramp: Vec<f64> = (0..1000).map(f64::from).collect();
        let warm_up = mser5(&ramp).unwrap();
        assert!(warm_up.at_edge);
        assert_eq!(warm_up.cut, 500);

        // An overloaded queue is a noisy ramp.
        let mut stream = TESTS.stream(QUEUE, 0, 3);
        assert!(mser5(&queue(&mut stream, 1.2, 10_000)).unwrap().at_edge);
    }

    /// 1000 values are 200 batches, of which cuts up to the 100th are searched; the last twentieth
    /// begins at the 96th.
    #[test]
    fn the_edge_is_the_last_twentieth() {
        for (batches, at_edge) in [(95, false), (96, true), (100, true)] {
            let step: Vec<f64> = (0..1000)
                .map(|i| if i < 5 * batches { 9.0 } else { 1.0 })
                .collect();
            let cut = 5 * batches;
            assert_eq!(mser5(&step), Ok(WarmUp { cut, at_edge }));
        }
    }

    #[test]
    fn constants_ties_and_short_runs() {
        assert_eq!(
            mser5(&[0.1; 100]),
            Ok(WarmUp {
                cut: 0,
                at_edge: false
            })
        );
        assert_eq!(
            mser5(&[0.0; 49]),
            Err(TooFew {
                needed: 50,
                got: 49
            })
        );
        let step: Vec<f64> = (0..100).map(|i| if i < 20 { 9.0 } else { 1.0 }).collect();
        let warm_up = mser5(&step).unwrap();
        assert_eq!(warm_up.cut, 20);
        assert_eq!(warm_up.rest(&step), &[1.0; 80]);
    }
}
